"""What docs/mid/optimization/learning-rate.md claims, proven beyond the example shown."""

import pytest
import torch

from warmup.testing import load_snippet

rate_curves = load_snippet("mid/optimization/learning_rate_curves.py")
rate_schedule = load_snippet("mid/optimization/learning_rate_schedule.py")
rate_range = load_snippet("mid/optimization/learning_rate_range.py")
rate_warmup = load_snippet("mid/optimization/learning_rate_warmup.py")


class TestLearningRate:
    @pytest.mark.parametrize("largest", [100.0, 0.3])
    @pytest.mark.parametrize("others", [[], [0.1], [0.2, 0.01]])
    def test_gradient_descent_diverges_above_two_over_the_largest_curvature(self, largest, others):
        curvatures = torch.tensor([largest, *others], dtype=torch.float64)
        below = rate_curves.losses(1.98 / largest, curvatures, 400)
        above = rate_curves.losses(2.02 / largest, curvatures, 400)
        assert below[-1] < below[0]
        assert above[-1] > above[0]
        assert (below.diff() <= 0).all()

    @pytest.mark.parametrize(("steep_start", "falls_first"), [(1.0, False), (1e-3, True)])
    def test_above_the_limit_the_loss_falls_first_only_from_a_small_steep_error(self, steep_start, falls_first):
        if steep_start == 1.0:
            found = rate_curves.losses(0.0205, torch.tensor([100.0, 2.0], dtype=torch.float64), 300)
        else:
            t = torch.arange(300, dtype=torch.float64)
            found = 50 * (steep_start * 1.05**t) ** 2 + 0.959 ** (2 * t)
        assert (found[1] < found[0]).item() == falls_first
        assert found[-1] > found[0]

    def test_the_loop_of_the_picture_is_sgd(self):
        curvatures = torch.tensor([3.0, 0.5], dtype=torch.float64)
        w = torch.ones(2, dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=0.1)
        for expected in rate_curves.losses(0.1, curvatures, 20):
            optimizer.zero_grad()
            loss = (curvatures * w**2).sum() / 2
            assert loss.item() == pytest.approx(expected.item())
            loss.backward()
            optimizer.step()

    @pytest.mark.parametrize("momentum", [0.5, 0.9])
    @pytest.mark.parametrize("nesterov", [False, True])
    def test_momentum_raises_the_limit_and_with_nesterov_lowers_it(self, momentum, nesterov):
        limit = 2 * (1 + momentum) / (1 + 2 * momentum if nesterov else 1)
        assert (limit < 2) == nesterov
        assert limit == pytest.approx(1.36, abs=0.01) or (momentum, nesterov) != (0.9, True)

        def end(factor: float) -> float:
            w = torch.ones(1, dtype=torch.float64, requires_grad=True)
            optimizer = torch.optim.SGD([w], lr=factor * limit / 10, momentum=momentum, nesterov=nesterov)
            for _ in range(400):
                w.grad = 10 * w.detach()
                optimizer.step()
            return abs(w.item())

        assert end(0.97) < 1 < end(1.03)

    def test_a_falling_rate_ends_closer_than_the_best_constant_one(self):
        for steps in (1000, 2000):
            rates = [0.02, 0.05, 0.1]
            constant = rate_schedule.distances(rates, 4, "constant", steps)
            falls = rate_schedule.distances(rates, 4, "falls", steps)
            assert falls.median(dim=1).values.min() < 0.9 * constant.median(dim=1).values.min()
        assert (constant[1:].median(dim=1).values.diff() > 0).all()

    def test_the_range_test_raises_the_rate_and_finds_a_lowest_loss_inside(self):
        losses = rate_range.range_test(torch.optim.SGD)
        assert 20 < losses.index(min(losses)) < len(losses) - 1
        assert losses[-1] > min(losses)

    def test_warmup_shortens_the_first_steps(self):
        one = rate_warmup.final_losses([0.01], 1, warmup=0, steps=3)
        slow = rate_warmup.final_losses([0.01], 1, warmup=1000, steps=3)
        none = rate_warmup.final_losses([0.0], 1, warmup=0, steps=3)
        assert (slow - none).abs() < (one - none).abs() / 5
