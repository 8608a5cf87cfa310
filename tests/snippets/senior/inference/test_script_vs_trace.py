"""Every claim of docs/senior/inference/script-vs-trace.md, proven beyond the example shown."""

import io
import math
import warnings

import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import DataDependentOutputException

from warmup.testing import load_snippet


def traced(model, example, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = torch.jit.trace(model, example, **options)
    return made, [one for one in caught if one.category is torch.jit.TracerWarning]


def scripted(thing):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.jit.script(thing)


class Halves(nn.Module):
    """Doubles as often as there are columns."""

    def forward(self, x):
        for _ in range(x.size(1)):
            x = 2 * x
        return x


class Clip(nn.Module):
    def forward(self, x):
        if x.max() > 10:
            return x / x.max()
        return x


class TestScriptVsTrace:
    def test_a_loop_over_a_shape_is_unrolled_without_a_warning(self):
        made, told = traced(Halves(), torch.ones(1, 3))
        x = torch.ones(1, 5)
        assert not told
        assert torch.equal(made(x), 8 * x) and torch.equal(Halves()(x), 32 * x)
        assert torch.equal(scripted(Halves())(x), 32 * x)

    def test_a_branch_on_a_value_is_the_examples_with_a_warning(self):
        made, told = traced(Clip(), torch.ones(2))
        x = torch.tensor([10.0, 20.0])
        assert told
        assert torch.equal(made(x), x)
        assert torch.equal(scripted(Clip())(x), Clip()(x))

    @pytest.mark.parametrize("asks", [torch.equal, torch.allclose])
    def test_a_branch_on_an_answer_that_is_a_python_boolean_is_traced_without_a_warning(self, asks):
        class Same(nn.Module):
            def forward(self, x, y):
                return x + 1 if asks(x, y) else x - 1

        one, two = torch.ones(2), torch.full((2,), 2.0)
        made, told = traced(Same(), (one, one))
        assert not told and made(one, two).tolist() == [2, 2] and Same()(one, two).tolist() == [0, 0]
        with pytest.raises(DataDependentOutputException, match=f"aten.{asks.__name__}"):
            torch.export.export(Same(), (one, one))

    def test_export_guards_the_shape_and_refuses_the_branch(self):
        program = torch.export.export(Halves(), (torch.ones(1, 3),)).module()
        with pytest.raises(AssertionError, match="Guard failed"):
            program(torch.ones(1, 5))
        with pytest.raises(Exception, match="data-dependent"):
            torch.export.export(Clip(), (torch.ones(2),))

    def test_a_size_in_arithmetic_is_followed(self):
        made, _ = traced(lambda x: x.sum() / x.shape[0], torch.ones(2))
        assert made(torch.ones(5)) == 1

    @pytest.mark.parametrize("to_python", [int, math.sqrt, float])
    def test_a_size_made_a_python_number_is_fixed_with_a_warning(self, to_python):
        made, told = traced(lambda x: x / to_python(x.shape[0]), torch.ones(4))
        assert told
        assert made(torch.ones(9))[0] == 1 / to_python(4)

    def test_the_length_of_a_tensor_is_fixed_with_a_warning(self):
        made, told = traced(lambda x: x / len(x), torch.ones(4))
        assert told and made(torch.ones(8))[0] == 0.25

    @pytest.mark.parametrize("number", [3, 2.5])
    def test_a_trace_takes_no_number_as_argument_and_bakes_in_one_from_outside(self, number):
        with pytest.raises(RuntimeError, match="cannot be traced"):
            traced(lambda x, n: x * n, (torch.ones(2), number))
        kept = {"n": number}
        made, told = traced(lambda x: x * kept["n"], torch.ones(2))
        kept["n"] = 7
        assert not told and made(torch.ones(2))[0] == number

    def test_a_loop_whose_count_is_fixed_is_right(self):
        def three(x):
            for _ in range(3):
                x = x + 1
            return x

        made, told = traced(three, torch.zeros(2))
        assert not told and torch.equal(made(torch.zeros(5)), torch.full((5,), 3.0))

    @pytest.mark.parametrize("layer", [nn.BatchNorm1d(3), nn.Dropout(0.5)])
    def test_training_mode_is_baked_into_a_trace_and_followed_by_a_script(self, layer):
        torch.manual_seed(0)
        model = nn.Sequential(layer).train()
        example = torch.randn(8, 3)
        made, _ = traced(model, example, check_trace=False)
        script = scripted(model)
        for one in (model, made, script):
            one.eval()
        x = torch.randn(6, 3) + 5
        assert not made.training
        assert not torch.allclose(made(x), model(x))
        assert torch.equal(script(x), model(x))

    def test_the_check_of_a_trace_notices_dropout(self):
        _, told = traced(nn.Dropout(0.5).train(), torch.ones(50))
        assert any("does not match" in str(one.message) for one in told)

    def test_a_number_is_baked_into_an_exported_program_with_a_guard(self):
        class Scale(nn.Module):
            def forward(self, x, k):
                return x * k

        program = torch.export.export(Scale(), (torch.ones(2), 3)).module()
        assert program(torch.ones(2), 3).tolist() == [3, 3]
        with pytest.raises(AssertionError, match="Guard failed"):
            program(torch.ones(2), 4)

    @pytest.mark.parametrize(
        ("asks", "other"),
        [
            (lambda x: x.dtype == torch.float64, torch.ones(2).double()),
            (lambda x: x.requires_grad, torch.ones(2, requires_grad=True)),
            (lambda x: x.device.type == "meta", torch.ones(2, device="meta").double()),
            (lambda x: x.dim() == 2, torch.ones(2, 1)),
        ],
    )
    def test_a_branch_on_what_is_no_size_is_exported_without_a_guard(self, asks, other):
        class Branch(nn.Module):
            def forward(self, x):
                return x.half() if asks(x) else x

        program = torch.export.export(Branch(), (torch.ones(2),)).module()
        assert Branch()(other).dtype == torch.half
        assert program(other).dtype == other.dtype

    def test_none_in_the_example_is_baked_into_an_export_without_a_guard_and_none_later_raises(self):
        class Adds(nn.Module):
            def forward(self, x, k):
                return x if k is None else x + k

        x, number, tensor = torch.ones(2), 3, torch.full((2,), 3.0)
        program = torch.export.export(Adds(), (x, None)).module()
        for k in (number, tensor):
            assert Adds()(x, k).tolist() == [4, 4] and program(x, k).tolist() == [1, 1]
            with pytest.raises((AssertionError, AttributeError)):
                torch.export.export(Adds(), (x, k)).module()(x, None)

    def test_a_global_number_is_baked_into_an_export_without_a_guard_and_into_no_script(self):
        kept = {"n": 2}
        number = 2

        class Closed(nn.Module):
            def forward(self, x):
                return x * number

        with pytest.raises(RuntimeError, match="closed over global variable"):
            scripted(Closed())

        class Scale(nn.Module):
            def forward(self, x):
                return x * kept["n"]

        program = torch.export.export(Scale(), (torch.ones(2),)).module()
        kept["n"] = 7
        assert program(torch.ones(2)).tolist() == [2, 2]
        with pytest.raises(RuntimeError, match="undefined value|closed over|python value"):
            scripted(Scale())

    def test_numpy_on_a_tensor_is_baked_into_a_trace_and_stops_an_export_unless_it_is_strict(self):
        class Sums(nn.Module):
            def forward(self, x):
                return x + torch.from_numpy(x.numpy().cumsum())

        made, told = traced(Sums(), torch.ones(2))
        assert told and made(3 * torch.ones(2)).tolist() == [4, 5]
        with pytest.raises(RuntimeError, match="numpy"):
            torch.export.export(Sums(), (torch.ones(2),))
        program = torch.export.export(Sums(), (torch.ones(2),), strict=True).module()
        assert program(3 * torch.ones(2)).tolist() == [6, 9]

    @pytest.mark.parametrize(
        ("name", "example", "other"),
        [("Rows", torch.zeros(2), torch.zeros(4)), ("Sign", torch.ones(2), -torch.ones(2))],
    )
    def test_the_check_finds_another_path_if_it_gets_another_input(self, name, example, other):
        model = getattr(load_snippet("senior/inference/script_vs_trace.py"), name)()
        traced(model, example)
        with pytest.raises(torch.jit.TracingCheckError):
            traced(model, example, check_inputs=[(other,)])

    def test_a_default_without_a_type_does_not_script(self):
        def scale(x, n=3):
            return x * n

        def typed(x, n: int = 3):
            return x * n

        with pytest.raises(RuntimeError, match="default value of type Tensor"):
            scripted(scale)
        assert scripted(typed)(torch.ones(1), 4) == 4

    def test_an_argument_without_a_type_counts_as_a_tensor(self):
        untyped = load_snippet("senior/inference/script_vs_trace.py").Sign()
        made = scripted(untyped)
        with pytest.raises(RuntimeError, match="(?i)not annotated|type 'Tensor"):
            made(3)

    def test_a_traced_model_keeps_the_branches_of_a_scripted_part(self):
        made, _ = traced(nn.Sequential(nn.Hardtanh(-99, 99), scripted(Clip())), torch.ones(2))
        x = torch.tensor([10.0, 20.0])
        assert torch.equal(made(x), Clip()(x))

    @pytest.mark.parametrize("name", ["script", "trace", "save", "load"])
    def test_the_entry_points_warn_that_they_are_deprecated(self, name):
        torch.jit.save(scripted(nn.ReLU()), file := io.BytesIO())
        entry = {
            "script": torch.jit.script,
            "trace": lambda model: torch.jit.trace(model, torch.ones(2)),
            "save": lambda model: torch.jit.save(scripted(model), io.BytesIO()),
            "load": lambda _: torch.jit.load(io.BytesIO(file.getvalue())),
        }[name]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            entry(nn.ReLU())
        told = [one for one in caught if issubclass(one.category, DeprecationWarning)]
        assert told and all("/torch/jit/" in one.filename.replace("\\", "/") for one in told)

    def test_a_file_of_torchscript_still_loads(self, tmp_path):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.jit.save(torch.jit.script(nn.ReLU()), tmp_path / "m.pt")
            again = torch.jit.load(tmp_path / "m.pt")
        assert again(torch.tensor([-1.0, 2.0])).tolist() == [0, 2]

    def test_cond_keeps_both_branches(self):
        class Sign(nn.Module):
            def forward(self, x):
                return torch.cond(x.sum() > 0, lambda y: y + 1, lambda y: y - 1, (x,))

        program = torch.export.export(Sign(), (torch.ones(2),)).module()
        assert program(-torch.ones(2)).tolist() == [-2, -2]
