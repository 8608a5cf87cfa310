"""What docs/junior/autograd/no-grad-vs-requires-grad.md claims, proven beyond the example shown."""

from contextlib import nullcontext

import pytest
import torch
import torch.nn.functional as F
import torch.utils.checkpoint
from torch import nn

from warmup.testing import load_snippet

no_grad_vs_requires_grad = load_snippet("junior/autograd/no_grad_vs_requires_grad_compare.py")
no_grad_vs_requires_grad_memory = load_snippet("junior/autograd/no_grad_vs_requires_grad_memory.py")
no_grad_vs_requires_grad_when = load_snippet("junior/autograd/no_grad_vs_requires_grad_when.py")


def fit_adapter(how: str, steps: int = 300) -> tuple[list[float], float]:
    """The loss of every step, and how far the weight of an adapter before a frozen body has moved."""
    torch.manual_seed(0)
    adapter = nn.Linear(2, 2)
    body = nn.Sequential(nn.Linear(2, 32), nn.Tanh())
    head = nn.Linear(32, 1)
    start = adapter.weight.detach().clone()
    x = 20 * torch.randn(256, 2)  # far from the scale that the body was made for
    y = torch.sin(x.sum(dim=1, keepdim=True) / 20)
    optimizer = torch.optim.Adam(nn.ModuleList([adapter, body, head]).parameters(), lr=0.02)
    if how == "requires_grad=False":
        body.requires_grad_(False)
    losses = []
    for _ in range(steps):
        with torch.no_grad() if how == "no_grad()" else nullcontext():
            features = body(adapter(x))
        loss = F.mse_loss(head(features), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, (adapter.weight.detach() - start).norm().item()


class TestNoGradVsRequiresGrad:
    def test_a_frozen_layer_passes_exactly_the_gradient_that_a_trainable_one_passes(self):
        reference = no_grad_vs_requires_grad.gradients("trainable")
        frozen = no_grad_vs_requires_grad.gradients("requires_grad=False")
        assert torch.equal(frozen["first"], reference["first"]) and torch.equal(frozen["last"], reference["last"])
        assert frozen["middle"] is None and reference["middle"].any() and reference["first"].any()

    def test_no_grad_cuts_off_what_lies_before_and_leaves_what_lies_behind(self):
        reference = no_grad_vs_requires_grad.gradients("trainable")
        cut = no_grad_vs_requires_grad.gradients("no_grad()")
        assert cut["first"] is None and cut["middle"] is None
        assert torch.equal(cut["last"], reference["last"])

    def test_the_two_gradients_of_a_linear_layer_and_freezing_drops_only_the_left_one(self):
        layer, x, delta = nn.Linear(3, 2, bias=False), torch.randn(3, requires_grad=True), torch.randn(2)
        layer(x).backward(delta)
        torch.testing.assert_close(layer.weight.grad, torch.outer(delta, x.detach()))
        torch.testing.assert_close(x.grad, layer.weight.detach().T @ delta)
        left, x.grad, layer.weight.grad = x.grad.clone(), None, None
        layer.requires_grad_(False)(x).backward(delta)
        assert layer.weight.grad is None
        torch.testing.assert_close(x.grad, left)

    def test_they_agree_where_nothing_earlier_requires_grad(self):
        backbone, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.randn(5, 3)
        with torch.no_grad():
            features = backbone(x)
        head(features).sum().backward()
        expected = head.weight.grad.clone()
        head.zero_grad()
        features = backbone.requires_grad_(False)(x)
        assert features.grad_fn is None
        head(features).sum().backward()
        assert torch.equal(head.weight.grad, expected)

    @pytest.mark.parametrize("tied", [True, False])
    def test_a_tied_weight_that_is_only_looked_up_in_no_grad_still_gets_a_gradient(self, tied):
        def reached(frozen):
            table, layer = nn.Embedding(5, 3), nn.Linear(3, 3)
            table.requires_grad_(not frozen)
            with torch.set_grad_enabled(frozen):
                hidden = table(torch.tensor([0, 1]))
            hidden = layer(hidden)
            (hidden @ table.weight.T if tied else hidden).sum().backward()
            return table.weight.grad is not None

        assert not reached(frozen=True) and reached(frozen=False) == tied

    @pytest.mark.parametrize("positions", [True, False])
    def test_a_module_that_takes_positions_has_an_input_without_grad_fn_too(self, positions):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.tokens, self.positions, self.layer = nn.Embedding(5, 3), nn.Embedding(4, 3), nn.Linear(3, 3)

            def forward(self, ids):
                hidden = self.tokens(ids)
                return self.layer(hidden + self.positions(torch.arange(ids.shape[1])) if positions else hidden)

        model, without = Model(), []
        for name, module in model.named_modules():
            module.register_forward_pre_hook(
                lambda module, inputs, name=name: without.append(name) if inputs[0].grad_fn is None else None
            )
        model(torch.tensor([[0, 1, 2]]))
        assert without == ["", "tokens", *["positions"] * positions]

    def test_a_generator_learns_through_a_frozen_discriminator_only(self):
        generator, discriminator = nn.Linear(2, 2), nn.Linear(2, 1)
        with torch.no_grad():
            score = discriminator(generator(torch.ones(1, 2)))
        with pytest.raises(RuntimeError, match="does not require grad"):
            score.sum().backward()
        discriminator.requires_grad_(False)(generator(torch.ones(1, 2))).sum().backward()
        assert generator.weight.grad.any() and discriminator.weight.grad is None

    @pytest.mark.parametrize("steps", [1, 40])
    def test_under_no_grad_the_adapter_never_moves_and_the_head_does(self, steps):
        losses, moved = fit_adapter("no_grad()", steps)
        assert moved == 0 and len(losses) == steps
        assert steps == 1 or losses[-1] < losses[0] / 2
        assert fit_adapter("requires_grad=False", steps)[1] > 0

    def test_both_runs_start_at_the_same_loss_and_end_far_apart(self):
        frozen, _ = fit_adapter("requires_grad=False", 250)
        cut, _ = fit_adapter("no_grad()", 250)
        assert frozen[0] == cut[0]
        assert cut[-1] > 10 * frozen[-1]

    def test_no_grad_around_backward_changes_no_gradient(self):
        layer, x = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1)), torch.randn(4, 3)
        layer(x).sum().backward()
        expected = [p.grad.clone() for p in layer.parameters()]
        layer.zero_grad()
        loss = layer(x).sum()
        with torch.no_grad():
            loss.backward()
        for p, grad in zip(layer.parameters(), expected, strict=True):
            assert torch.equal(p.grad, grad)

    def test_freezing_between_the_passes_still_counts_and_unfreezing_does_not(self):
        frozen_late, unfrozen_late = nn.Linear(2, 1), nn.Linear(2, 1)
        unfrozen_late.weight.requires_grad_(False)
        loss = frozen_late(torch.ones(1, 2)).sum() + unfrozen_late(torch.ones(1, 2)).sum()
        frozen_late.weight.requires_grad_(False)
        unfrozen_late.weight.requires_grad_(True)
        loss.backward()
        assert frozen_late.weight.grad is None and unfrozen_late.weight.grad is None
        assert frozen_late.bias.grad is not None

    def test_the_flag_of_a_result_cannot_be_cleared_but_detach_cuts(self):
        weight, bias, result = no_grad_vs_requires_grad_when.forward()
        with pytest.raises(RuntimeError, match="leaf variables.*detach"):
            result.requires_grad_(False)
        assert torch.equal(result, 3 * weight + bias) and weight.is_leaf and bias.is_leaf
        assert not result.detach().requires_grad

    def test_the_first_trained_layer_decides_what_is_saved(self):
        memory, x = no_grad_vs_requires_grad_memory, torch.randn(16, 64)
        counts = {
            trained: memory.saved_activations(memory.frozen_but(*trained), x)[0]
            for trained in ((1, 2, 3, 4), (1,), (2, 3, 4), (2,), (3, 4), (3,), (4,), ())
        }
        assert list(counts.values()) == [3, 3, 3, 3, 2, 2, 1, 0]
        assert memory.saved_activations(memory.frozen_but(3), x)[1] == 2 * 16 * 64 * 4
        with torch.no_grad():
            assert memory.saved_activations(memory.frozen_but(1), x) == (0, 0)

    @pytest.mark.parametrize(
        ("activation", "every", "only_first"),
        [
            (nn.ReLU, 3, 3),
            (nn.Tanh, 3, 3),  # keep their output, the next layer's input
            (nn.GELU, 6, 3),
            (nn.SiLU, 6, 3),  # keep their input
            (nn.Identity, 3, 0),
        ],
    )
    def test_what_is_kept_after_the_first_trained_layer_depends_on_the_activation(self, activation, every, only_first):
        memory, x = no_grad_vs_requires_grad_memory, torch.randn(16, 64)

        def kept(*trained):
            parts = memory.frozen_but(*trained)
            model = nn.Sequential(*(activation() if isinstance(part, nn.ReLU) else part for part in parts))
            return memory.saved_activations(model, x)

        tensor = 16 * 64 * 4
        assert kept(1, 2, 3, 4) == (every, every * tensor)
        assert kept(1) == (only_first, only_first * tensor)
        assert kept(4) == (1, tensor)  # only the input of the trained layer
        assert kept() == (0, 0)

    def test_neither_switches_off_dropout_or_batch_norms_statistics(self):
        for grad in (True, False):
            model = nn.Sequential(nn.BatchNorm1d(100), nn.Dropout(0.5)).requires_grad_(False)
            with torch.set_grad_enabled(grad):
                output = model(torch.randn(16, 100) + 5)
            assert model[0].running_mean.any() and (output == 0).any()

    @pytest.mark.parametrize("skip", [True, False])
    def test_a_skip_connection_hides_a_cut(self, skip):
        def gradients(cut):
            torch.manual_seed(0)
            first, block, x = nn.Linear(4, 4), nn.Linear(4, 4), torch.randn(2, 4)
            hidden = first(x)
            result = block(hidden.detach() if cut else hidden) + (hidden if skip else 0)
            result.square().sum().backward()
            return first.weight.grad, block.weight.grad

        (right, _), (found, of_block) = gradients(cut=False), gradients(cut=True)
        assert of_block is not None and (found is not None) == skip
        assert found is None or not torch.allclose(found, right)

    @pytest.mark.parametrize("cut", [True, False])
    def test_the_inputs_of_all_submodules_show_a_cut_inside_a_block(self, cut):
        class Residual(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = nn.Linear(4, 4)

            def forward(self, h):
                return h + self.inner(h.detach() if cut else h)

        model, without = nn.Sequential(nn.Linear(4, 4), Residual(), nn.Linear(4, 1)), []
        names = {module: name for name, module in model.named_modules()}
        for module in model.modules():
            module.register_forward_pre_hook(
                lambda module, inputs: without.append(names[module]) if inputs[0].grad_fn is None else None
            )
        model(torch.ones(2, 4)).sum().backward()
        assert all(p.grad is not None for p in model.parameters())
        assert without == ["", "0", *["1.inner"] * cut]

    def test_one_backward_lists_the_parameters_that_no_gradient_reaches(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.before, self.frozen = nn.Linear(2, 2), nn.Linear(2, 2).requires_grad_(False)
                self.head, self.forgotten = nn.Linear(2, 1), nn.Linear(2, 1)

            def forward(self, x):
                with torch.no_grad():
                    x = self.frozen(self.before(x))
                return self.head(x)

        model = Model()
        model(torch.ones(1, 2)).sum().backward()
        unreached = [name for name, p in model.named_parameters() if p.requires_grad and p.grad is None]
        assert unreached == ["before.weight", "before.bias", "forgotten.weight", "forgotten.bias"]
