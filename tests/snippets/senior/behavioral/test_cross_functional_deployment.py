"""What docs/senior/behavioral/cross-functional-deployment.md claims, proven beyond the example shown."""

import functools
import logging

import pytest
import torch
from torch import nn
from torch.export import Dim, export

from warmup.testing import load_snippet

snippet = load_snippet("senior/behavioral/cross_functional_deployment_contract.py")
DYNAMIC = ({0: Dim("batch")},)


@functools.cache
def data():
    """Images of another kind than the page's: ten random patterns with noise."""
    chance = torch.Generator().manual_seed(3)
    means = torch.rand(10, 64, generator=chance) * 16
    labels = torch.arange(80) % 10
    noise = torch.rand(80, 64, generator=chance)
    return (means[labels] + noise).to(torch.uint8), labels, means / 16


@functools.cache
def contract(operators=8, weight_bytes=2600):
    pixels, _, means = data()
    good = snippet.Classifier(means).eval().requires_grad_(False)
    return snippet.Contract(pixels[:20], good(pixels[:20]), (1, 3, 20), operators, weight_bytes)


def deliver(model, shapes=DYNAMIC, scale=1.0):
    pixels, _, _ = data()
    return snippet.deliver(model, pixels[:80] if scale == 1 else pixels[:80] * scale, shapes)


def own_test_passes(program, scale=1, order=None):
    pixels, labels, _ = data()
    return snippet.own_test(program, pixels, labels, scale, torch.arange(10) if order is None else order)


@functools.cache
def good():
    return deliver(snippet.Classifier(data()[2]).eval())


class TestContract:
    def test_a_delivery_as_agreed_passes_both(self):
        contract().check(good())
        assert own_test_passes(good())

    def test_a_fixed_batch_passes_the_own_test_only(self):
        program = deliver(snippet.Classifier(data()[2]).eval(), None)
        assert own_test_passes(program)
        with pytest.raises(AssertionError, match=r"batch 1: Guard failed: x.size\(\)\[0\] == 80"):
            contract().check(program)

    def test_dropout_that_is_on_passes_the_own_test_only(self):
        torch.manual_seed(1)
        program = deliver(snippet.Classifier(data()[2]).train())
        assert own_test_passes(program)
        with pytest.raises(AssertionError, match="golden outputs differ"):
            contract().check(program)

    def test_scaling_by_the_caller_passes_the_own_test_only(self):
        program = deliver(snippet.Unscaled(data()[2]).eval(), scale=1 / 16)
        assert own_test_passes(program, scale=1 / 16)
        with pytest.raises(AssertionError, match="dtype mismatch"):
            contract().check(program)

    def test_scaling_by_the_caller_is_found_by_golden_outputs_if_the_dtype_fits(self):
        program = deliver(snippet.Unscaled(data()[2]).eval())
        with pytest.raises(AssertionError, match="golden outputs differ"):
            contract().check(program)

    def test_classes_in_another_order_pass_the_own_test_only(self):
        moved = torch.arange(10).flip(0)
        program = deliver(snippet.Classifier(data()[2][moved]).eval())
        assert own_test_passes(program, order=moved)
        with pytest.raises(AssertionError, match="golden outputs differ"):
            contract().check(program)

    def test_a_loop_over_classes_passes_the_own_test_and_breaks_the_budget_of_operators(self):
        program = deliver(snippet.RowByRow(data()[2]).eval())
        assert own_test_passes(program)
        with pytest.raises(AssertionError, match="29 operators, not 8"):
            contract().check(program)
        contract(operators=29).check(program)

    def test_a_layer_that_nobody_calls_breaks_the_budget_of_bytes(self):
        program = deliver(snippet.WithOldHead(data()[2]).eval())
        assert own_test_passes(program)
        with pytest.raises(AssertionError, match="5,200 bytes, not 2,600"):
            contract().check(program)
        contract(weight_bytes=5200).check(program)

    def test_another_output_dtype_is_named(self):
        class Double(snippet.Classifier):
            def forward(self, x):
                return super().forward(x).double()

        with pytest.raises(AssertionError, match=r"output is torch.float64 \(1, 10\)"):
            contract().check(deliver(Double(data()[2]).eval()))

    def test_bfloat16_breaks_a_tolerance_of_one_in_a_thousand(self):
        class Half(snippet.Classifier):
            def forward(self, x):
                return self.head((x.float() * self.scale).bfloat16()).softmax(1).float()

        with pytest.raises(AssertionError, match="golden outputs differ"):
            contract().check(deliver(Half(data()[2]).bfloat16().eval()))

    def test_a_fault_on_a_blank_image_passes_without_a_blank_golden_row(self):
        pixels, _, means = data()

        class ByBrightness(snippet.Classifier):
            def forward(self, x):
                total = x.float().sum(1, keepdim=True)
                return super().forward(x) * (total / total)

        program = deliver(ByBrightness(means).eval())
        found = contract(operators=16)
        found.check(program)
        blank = torch.cat([pixels[:1] * 0, pixels[:19]])
        assert program.module()(blank)[0].isnan().all()
        expected = snippet.Classifier(means).eval().requires_grad_(False)(blank)
        with pytest.raises(AssertionError, match="golden outputs differ"):
            snippet.Contract(blank, expected, (1, 20), 16, 2600).check(program)

    @pytest.mark.parametrize("batch", [1, 5, 20])
    def test_the_count_of_operators_does_not_depend_on_the_batch(self, batch):
        served = good().module()
        with snippet.Operators() as ran:
            served(data()[0][:batch])
        assert ran.count == 8
        with snippet.Operators() as again:
            served(data()[0][:80])
        assert again.count == ran.count


class TestContractBudget:
    def test_a_buffer_that_is_not_persistent_and_a_constant_count(self):
        class WithTables(snippet.Classifier):
            def __init__(self, means):
                super().__init__(means)
                self.register_buffer("table", torch.zeros(100), persistent=False)
                self.constant = torch.zeros(50)

            def forward(self, x):
                return super().forward(x) + self.table[0] + self.constant[0]

        with pytest.raises(AssertionError, match="3,200 bytes, not 2,600"):
            contract(operators=14).check(deliver(WithTables(data()[2]).eval()))

    def test_tied_weights_count_once(self):
        class Tied(snippet.Classifier):
            def __init__(self, means):
                super().__init__(means)
                self.other = nn.Linear(64, 10)
                self.other.weight = self.head.weight
                self.other.bias = self.head.bias

        contract().check(deliver(Tied(data()[2]).eval()))

    @pytest.mark.filterwarnings("ignore::UserWarning")
    def test_the_count_of_an_lstm_depends_on_the_kernels_and_on_gradients(self):
        class Reader(nn.Module):
            def __init__(self):
                super().__init__()
                self.lstm = nn.LSTM(4, 8, batch_first=True)

            def forward(self, x):
                return self.lstm(x)[0]

        served, x = export(Reader().eval(), (torch.zeros(2, 6, 4),)).module(), torch.zeros(2, 6, 4)

        def count():
            with snippet.Operators() as ran:
                served(x)
            return ran.count

        with torch.backends.mkldnn.flags(enabled=False):
            loop = count()
        assert loop > 100
        if torch.backends.mkldnn.is_available():
            fused = count()
            assert fused < 20
            with torch.no_grad():
                assert count() < fused

    def test_a_tiny_probability_may_differ_by_more_than_one_in_a_thousand(self):
        found, expected = torch.tensor([1e-5, 0.5]), torch.tensor([5e-5, 0.5])
        assert torch.allclose(found, expected, rtol=1e-3, atol=1e-4)
        assert not torch.allclose(found, expected, rtol=1e-3, atol=0)

    def test_torch_promises_nothing_about_newer_versions(self):
        assert "may not be usable in newer versions" in " ".join(torch.export.save.__doc__.split())


class TestExport:
    @pytest.mark.parametrize(("example", "other"), [(2, 5), (7, 1)])
    def test_by_default_the_batch_of_the_example_is_the_only_one(self, example, other):
        served = export(nn.Linear(3, 2), (torch.zeros(example, 3),)).module()
        assert served(torch.zeros(example, 3)).shape == (example, 2)
        with pytest.raises(AssertionError, match=rf"Guard failed: input.size\(\)\[0\] == {example}"):
            served(torch.zeros(other, 3))

    def test_auto_with_an_example_of_one_fixes_the_batch_and_logs_it(self, monkeypatch, caplog):
        # Other tests set torch's logging, so this one listens at the logger itself.
        log = logging.getLogger("torch._export.non_strict_utils")
        monkeypatch.setattr(log, "handlers", [caplog.handler])
        monkeypatch.setattr(log, "disabled", False)
        caplog.set_level(logging.WARNING, logger=log.name)
        program = export(nn.Linear(3, 2), (torch.zeros(1, 3),), dynamic_shapes=({0: Dim.AUTO},))
        assert "0/1 specialized" in caplog.text
        served = program.module()
        assert served(torch.zeros(1, 3)).shape == (1, 2)
        with pytest.raises(AssertionError, match="Guard failed"):
            served(torch.zeros(2, 3))

    def test_a_named_dimension_with_an_example_of_one_raises(self):
        with pytest.raises(Exception, match="specialized it to be a constant"):
            export(nn.Linear(3, 2), (torch.zeros(1, 3),), dynamic_shapes=DYNAMIC)

    def test_no_check_of_the_dtype_if_the_model_does_not_convert(self):
        class Twice(nn.Module):
            def forward(self, x):
                return x * 2

        served = export(Twice(), (torch.ones(2),)).module()
        assert served(torch.tensor([100, 200], dtype=torch.uint8)).tolist() == [200, 144]

    def test_a_model_that_converts_checks_the_dtype(self):
        class Converts(nn.Module):
            def forward(self, x):
                return x.float() * 2

        served = export(Converts(), (torch.ones(2),)).module()
        with pytest.raises(RuntimeError, match="dtype mismatch"):
            served(torch.tensor([100, 200], dtype=torch.uint8))
