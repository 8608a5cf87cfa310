"""Every claim that the pages of docs/junior/autograd make, proven beyond the example shown."""

import pytest
import torch
from torch import nn

from warmup.testing import load_snippet

zero_grad = load_snippet("junior/autograd/zero_grad.py")
zero_grad_broken = load_snippet("junior/autograd/zero_grad_broken.py")


class TestZeroGrad:
    def test_backward_adds_to_grad_whatever_the_graph(self):
        layer = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1))
        x = torch.randn(7, 3)
        layer(x).sum().backward()
        once = [p.grad.clone() for p in layer.parameters()]
        for _ in range(2):
            layer(x).sum().backward()
        for p, g in zip(layer.parameters(), once, strict=True):
            torch.testing.assert_close(p.grad, 3 * g)

    @pytest.mark.parametrize("steps", [1, 2, 20])
    @pytest.mark.parametrize("place", ["before backward", "after step"])
    def test_the_three_valid_places_are_one_training_run(self, place, steps):
        assert torch.equal(zero_grad.train(place, steps), zero_grad.train("before forward", steps))

    def test_clearing_before_step_trains_nothing(self):
        assert torch.equal(zero_grad.train("before step", 20), zero_grad.train("before forward", 0))

    def test_never_clearing_agrees_on_the_first_step_only(self):
        assert torch.equal(zero_grad.train("never", 1), zero_grad.train("before forward", 1))
        assert not torch.equal(zero_grad.train("never", 2), zero_grad.train("before forward", 2))

    def test_training_moves_the_weight(self):
        assert not torch.allclose(zero_grad.train("before forward", 20), zero_grad.train("before forward", 0))

    @pytest.mark.parametrize("steps", [1, 2, 5, 60])
    def test_never_clearing_is_momentum_one(self, steps):
        never = zero_grad_broken.final_loss("never", steps)
        frictionless = zero_grad_broken.final_loss("before backward", steps, momentum=1.0)
        assert never == pytest.approx(frictionless, rel=1e-4)

    def test_never_clearing_swings_instead_of_settling(self):
        losses = [zero_grad_broken.final_loss("never", steps) for steps in range(60)]
        rises = sum(later > earlier for earlier, later in zip(losses, losses[1:], strict=False))
        assert 20 < rises < 40
        settled = [zero_grad_broken.final_loss("before backward", steps) for steps in range(60)]
        assert all(later <= earlier for earlier, later in zip(settled, settled[1:], strict=False))

    def test_a_zero_gradient_still_moves_a_weight_by_momentum_and_by_decay(self):
        for options in ({"momentum": 0.9}, {"weight_decay": 0.1}):
            w = nn.Parameter(torch.ones(1))
            optimizer = torch.optim.SGD([w], lr=0.1, **options)
            (2 * w).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
            before = w.item()
            optimizer.step()
            assert w.item() == before
            w.grad = torch.zeros(1)
            optimizer.step()
            assert w.item() != before

    def test_zero_grad_sets_none_by_default(self):
        w = nn.Parameter(torch.ones(1))
        optimizer = torch.optim.SGD([w], lr=0.1)
        w.sum().backward()
        optimizer.zero_grad()
        assert w.grad is None

    def test_optimizer_clears_only_its_own_parameters(self):
        body, head = nn.Linear(2, 2), nn.Linear(2, 1)
        model = nn.Sequential(body, head)
        optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
        model(torch.ones(1, 2)).sum().backward()
        optimizer.zero_grad()
        assert body.weight.grad is not None and head.weight.grad is None
        model.zero_grad()
        assert body.weight.grad is None

    def test_accumulating_equal_micro_batches_is_the_large_batch(self):
        model, x, y = nn.Linear(4, 1), torch.randn(12, 4), torch.randn(12, 1)
        nn.functional.mse_loss(model(x), y).backward()
        large = model.weight.grad.clone()
        model.zero_grad()
        for xs, ys in zip(x.chunk(3), y.chunk(3), strict=True):
            (nn.functional.mse_loss(model(xs), ys) / 3).backward()
        torch.testing.assert_close(model.weight.grad, large)
