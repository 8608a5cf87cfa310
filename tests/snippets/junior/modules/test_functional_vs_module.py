"""What docs/junior/modules/functional-vs-module.md claims, proven beyond the example shown."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from warmup.testing import load_snippet

functional_vs_module_broken = load_snippet("junior/modules/functional_vs_module_broken.py")


class Dropped(nn.Module):
    """The four ways of *Run it*, their outputs by name."""

    def __init__(self) -> None:
        super().__init__()
        self.dropout = nn.Dropout(0.5)

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "self.dropout(x)": self.dropout(x),
            "nn.Dropout(0.5)(x)": nn.Dropout(0.5)(x),
            "F.dropout(x, 0.5)": F.dropout(x, 0.5),
            "F.dropout(x, 0.5, self.training)": F.dropout(x, 0.5, self.training),
        }


class TestFunctionalVsModule:
    def test_module_and_function_compute_the_same(self):
        x, image = torch.randn(5, 4), torch.randn(2, 3, 8, 8)
        linear, convolution, norm, table = nn.Linear(4, 3), nn.Conv2d(3, 2, 3), nn.BatchNorm1d(4), nn.Embedding(6, 2)
        index, target = torch.randint(6, (4,)), torch.randint(4, (5,))
        norm(torch.randn(50, 4) + 3)
        norm.eval()
        statistics = norm.running_mean, norm.running_var, norm.weight, norm.bias
        pairs = [
            (linear(x), F.linear(x, linear.weight, linear.bias)),
            (convolution(image), F.conv2d(image, convolution.weight, convolution.bias)),
            (norm(x), F.batch_norm(x, *statistics)),
            (table(index), F.embedding(index, table.weight)),
            (nn.ReLU()(x), F.relu(x)),
            (nn.Softmax(dim=1)(x), F.softmax(x, dim=1)),
            (nn.MaxPool2d(2)(image), F.max_pool2d(image, 2)),
            (nn.CrossEntropyLoss()(x, target), F.cross_entropy(x, target)),
        ]
        assert all(torch.equal(module, function) for module, function in pairs)

    @pytest.mark.parametrize("shape", [(2, 3, 4), (5, 1, 2, 2)])
    def test_without_state_equal_arguments_give_equal_results_and_the_defaults_of_flatten_differ(self, shape):
        x = torch.randn(shape)
        assert torch.equal(nn.Flatten(1)(x), torch.flatten(x, 1)) and torch.equal(nn.Flatten(0)(x), torch.flatten(x, 0))
        assert nn.Flatten()(x).shape == (shape[0], x[0].numel()) and torch.flatten(x).shape == (x.numel(),)

    def test_dropout_and_losses_remember_what_the_table_says(self):
        assert not nn.Dropout().state_dict() and not nn.ReLU().state_dict() and not nn.CrossEntropyLoss().state_dict()
        assert list(nn.CrossEntropyLoss(weight=torch.ones(3)).state_dict()) == ["weight"]

    def test_eval_stops_only_the_dropout_that_knows_the_mode(self):
        model, x = Dropped(), torch.ones(2000)
        expected = {
            "self.dropout(x)": False,
            "F.dropout(x, 0.5, self.training)": False,
            "nn.Dropout(0.5)(x)": True,
            "F.dropout(x, 0.5)": True,
        }
        for training in (True, False):
            for name, output in model.train(training)(x).items():
                share = (output == 0).float().mean().item()
                if training or expected[name]:
                    assert 0.4 < share < 0.6
                else:
                    assert torch.equal(output, x)
        assert set(model(x)) == set(expected)

    def test_a_module_made_in_forward_is_not_registered_and_starts_in_train_mode(self):
        model = Dropped().eval()
        model(torch.ones(1))
        assert [name for name, _ in model.named_modules()] == ["", "dropout"]
        assert nn.Dropout().training

    @pytest.mark.parametrize("seed", [3, 4])
    def test_the_classifier_stays_random_in_eval_mode_and_loses_accuracy(self, seed):
        torch.manual_seed(seed)
        x = torch.randn(1000, 2)
        y = (x[:, 0] > x[:, 1]).long()
        model = functional_vs_module_broken.Classifier(p=0.5)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
        for _ in range(40):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        assert not torch.equal(model(x), model(x))
        dropped = sum((model(x).argmax(dim=1) == y).float().mean().item() for _ in range(20)) / 20
        model.p = 0.0
        assert torch.equal(model(x), model(x))
        assert (model(x).argmax(dim=1) == y).float().mean().item() > max(0.95, dropped)

    def test_a_model_in_eval_mode_gives_the_same_output_twice_unless_something_stays_random(self):
        class Model(nn.Module):
            def __init__(self, hidden):
                super().__init__()
                self.layer, self.hidden = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Dropout()), hidden

            def forward(self, x):
                return self.hidden(self.layer(x))

        x = torch.randn(16, 4)
        for hidden, repeats in ((F.relu, True), (F.dropout, False), (lambda x: nn.Linear(4, 4)(x), False)):
            model = Model(hidden).eval()
            assert torch.equal(model(x), model(x)) is repeats

    @pytest.mark.parametrize(("units", "p", "share"), [(4, 0.1, 0.45), (1, 0.5, 0.5), (1000, 0.1, 0.0)])
    def test_two_passes_of_few_units_can_be_equal_by_chance(self, units, p, share):
        torch.manual_seed(0)
        x = torch.ones(units)
        equal = sum(torch.equal(F.dropout(x, p), F.dropout(x, p)) for _ in range(1000)) / 1000
        assert (p**2 + (1 - p) ** 2) ** units == pytest.approx(share, abs=0.01)
        assert equal == pytest.approx(share, abs=0.06)

    def test_the_functional_defaults_disagree(self):
        x = torch.randn(500)
        assert (F.dropout(x) == 0).any() and (F.dropout2d(x.view(1, 500, 1, 1)) == 0).any()
        assert torch.equal(F.alpha_dropout(x), x) and not torch.equal(F.alpha_dropout(x, training=True), x)
        assert torch.equal(F.rrelu(x), F.rrelu(x)) and not torch.equal(F.rrelu(x, training=True), F.rrelu(x))
        columns = torch.randn(64, 3) + 5
        mean, var = torch.zeros(3), torch.ones(3)
        assert F.batch_norm(columns, mean, var).mean() > 4
        assert F.batch_norm(columns, mean, var, training=True).mean().abs() < 1e-5

    @pytest.mark.parametrize("training", [True, False])
    def test_attention_drops_whatever_the_mode(self, training):
        class Attention(nn.Module):
            def __init__(self, pass_mode):
                super().__init__()
                self.p, self.pass_mode = 0.5, pass_mode

            def forward(self, x):
                p = self.p if self.training or not self.pass_mode else 0.0
                return F.scaled_dot_product_attention(x, x, torch.eye(32).unsqueeze(0), dropout_p=p)

        x = torch.randn(1, 32, 4)
        assert (Attention(False).train(training)(x) == 0).any()
        assert (Attention(True).train(training)(x) == 0).any().item() is training

    def test_a_layer_made_in_forward_is_never_trained(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.head, self.seen = nn.Linear(4, 1), []

            def forward(self, x):
                layer = nn.Linear(4, 4)
                self.seen.append(layer.weight)
                return self.head(layer(x))

        model = Model()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        head = model.head.weight.detach().clone()
        for _ in range(2):
            model(torch.randn(8, 4)).square().mean().backward()
            optimizer.step()
        first, second = model.seen
        assert first.grad is not None and second.grad is not None and not torch.equal(first, second)
        assert [name for name, _ in model.named_parameters()] == ["head.weight", "head.bias"]
        assert not torch.equal(head, model.head.weight)

    @pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
    def test_a_layer_made_in_forward_has_the_default_dtype(self, dtype):
        with pytest.raises(RuntimeError, match="dtype"):
            nn.Linear(4, 4)(torch.ones(2, 4, dtype=dtype))

    def test_a_layer_made_in_forward_is_on_the_default_device(self):
        with pytest.raises(RuntimeError, match="device"):
            nn.Linear(4, 4)(torch.ones(2, 4, device="meta"))

    def test_attention_has_no_training_argument(self):
        with pytest.raises((TypeError, ValueError)):
            F.scaled_dot_product_attention(*[torch.ones(1, 2, 2)] * 3, training=True)

    def test_functional_linear_ties_the_output_to_the_embedding(self):
        table, hidden = nn.Embedding(7, 3), torch.randn(2, 3)
        F.linear(hidden, table.weight).sum().backward()
        assert F.linear(hidden, table.weight).shape == (2, 7) and table.weight.grad is not None

    @pytest.mark.parametrize(("words", "width"), [(7, 3), (20, 8)])
    def test_a_module_that_shares_the_parameter_ties_the_output_as_well(self, words, width):
        table, head, hidden = nn.Embedding(words, width), nn.Linear(width, words, bias=False), torch.randn(2, width)
        head.weight = table.weight
        assert torch.equal(head(hidden), F.linear(hidden, table.weight))
        assert len(list(nn.ModuleList([table, head]).parameters())) == 1

    def test_functional_call_uses_other_weights_without_changing_the_model(self):
        model, x = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 2)), torch.randn(4, 3)
        other = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 2))
        before = model(x)
        assert torch.equal(torch.func.functional_call(model, dict(other.named_parameters()), (x,)), other(x))
        assert torch.equal(model(x), before) and not torch.equal(before, other(x))

    @pytest.mark.parametrize(("factor", "same"), [(1.0, False), (0.0, True), (float("nan"), False)])
    def test_the_comparison_of_two_passes_misses_zeros_and_refuses_nan(self, factor, same):
        x = torch.ones(64) * factor
        assert torch.equal(F.dropout(x, 0.5), F.dropout(x, 0.5)) is same
        assert torch.equal(x, x.clone()) is (factor == factor)

    @pytest.mark.parametrize("outputs", [1, 10])
    def test_the_comparison_of_two_passes_misses_a_dropout_in_front_of_weights_that_are_zero(self, outputs):
        head, x = nn.Linear(64, outputs), torch.ones(8, 64)
        assert not torch.equal(head(F.dropout(x, 0.5)), head(F.dropout(x, 0.5)))
        nn.init.zeros_(head.weight)
        assert torch.equal(head(F.dropout(x, 0.5)), head(F.dropout(x, 0.5)))

    @pytest.mark.parametrize("pass_buffers", [True, False])
    def test_functional_call_moves_running_statistics_unless_it_gets_copies(self, pass_buffers):
        model, x = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3)), torch.randn(8, 3) + 5
        weights = {name: value.detach().clone() for name, value in model.named_parameters()}
        if pass_buffers:
            weights |= {name: value.clone() for name, value in model.named_buffers()}
        torch.func.functional_call(model, weights, (x,))
        assert model[1].running_mean.any().item() is not pass_buffers

    @pytest.mark.parametrize("training", [True, False])
    def test_a_batch_norm_that_uses_the_batch_gives_the_same_output_twice_but_not_for_one_sample(self, training):
        class Model(nn.Module):
            def forward(self, x):
                return F.batch_norm(x, torch.zeros(3), torch.ones(3), training=training)

        model, x = Model().eval(), torch.randn(8, 3, 4)
        assert torch.equal(model(x), model(x))
        assert torch.allclose(model(x[:1]), model(x)[:1], atol=1e-5) is not training
