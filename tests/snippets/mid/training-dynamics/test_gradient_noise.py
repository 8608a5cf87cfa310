"""Every claim that docs/mid/training-dynamics/gradient-noise.md makes, proven beyond the example shown."""

import functools
import itertools

import pytest
import torch

from warmup.testing import load_snippet

scale = load_snippet("mid/training-dynamics/gradient_noise_scale.py")
quadratic = load_snippet("mid/training-dynamics/gradient_noise_floor.py")


def descend(x: torch.Tensor, y: torch.Tensor, steps: int, rate: float) -> float:
    """Mean squared error after SGD with batch 1 at a constant rate."""
    w = torch.zeros(x.shape[1], dtype=torch.float64)
    for i in torch.randint(len(x), (steps,)).tolist():
        w -= rate * (x[i] @ w - y[i]) * x[i]
    return (x @ w - y).square().mean().item()


class TestGradientNoise:
    @pytest.mark.parametrize("b", [1, 2, 4, 5])
    @pytest.mark.parametrize("heavy", [False, True])
    def test_the_variance_of_all_batches_of_five_samples(self, b, heavy):
        samples = torch.randn(5, 3, dtype=torch.float64) ** (3 if heavy else 1)
        one = (samples - samples.mean(0)).square().sum(1).mean()

        def variance(batches):
            means = torch.stack([samples[list(i)].mean(0) for i in batches])
            return (means - samples.mean(0)).square().sum(1).mean()

        torch.testing.assert_close(variance(itertools.product(range(5), repeat=b)), one / b)
        expected = one / b * (5 - b) / 4
        torch.testing.assert_close(variance(itertools.combinations(range(5), b)), expected)

    def test_each_sample_twice_is_the_noise_of_half_the_batch(self):
        drawn = torch.randn(50_000, 4, dtype=torch.float64)
        twice = drawn.repeat(1, 2).mean(1).var().item()
        assert twice == pytest.approx(1 / 4, rel=0.03)

    @pytest.mark.parametrize(("lr", "b"), [(0.2, 1), (0.5, 4), (1.0, 1)])
    def test_a_constant_rate_settles_at_the_floor(self, lr, b):
        found = quadratic.excess(lr, b, steps=300, runs=1000)[-100:].mean().item()
        assert found == pytest.approx(quadratic.floor(lr, b), rel=0.05)

    def test_batch_and_rate_lower_the_floor_alike_and_a_falling_rate_ends_below(self):
        assert quadratic.floor(0.2, 8) == pytest.approx(quadratic.floor(0.025, 1), rel=0.1)
        falls = quadratic.excess(0.2, 1, falls=True, steps=600, runs=500)[-1].item()
        assert falls < 0.3 * quadratic.floor(0.2, 1)

    def test_momentum_settles_near_the_floor_of_the_larger_rate(self):
        found = quadratic.excess(0.02, 1, steps=500, momentum=0.9, runs=500)[-300:].mean().item()
        assert found == pytest.approx(quadratic.floor(0.2, 1), rel=0.1)

    def test_near_the_limit_of_stability_momentum_settles_far_below(self):
        found = quadratic.excess(0.15, 1, steps=900, momentum=0.9, runs=500)[-600:].mean().item()
        assert found == pytest.approx(0.77, rel=0.02)
        assert quadratic.floor(1.5, 1) == pytest.approx(1.91, abs=0.005)

    @pytest.mark.parametrize("distance", [3.0, 1.0])
    @pytest.mark.parametrize(("small", "large"), [(4, 16), (8, 64)])
    def test_two_batch_sizes_give_length_trace_and_scale(self, distance, small, large):
        grads = [scale.gradients(distance, b, 1500, seed) for seed, b in enumerate((small, large))]
        length, trace, ratio = scale.noise_scale(*grads, small, large)
        assert length == pytest.approx(distance**2, rel=0.1)
        assert trace == pytest.approx(21 * distance**2 + 20, rel=0.1)
        assert ratio == pytest.approx(trace / length)

    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
    def test_small_gradients_of_low_precision_give_the_same_scale(self, dtype):
        grads = [1e-3 * scale.gradients(1.0, b, 500, 0) for b in (8, 64)]
        found = scale.noise_scale(*[g.to(dtype) for g in grads], 8, 64)
        assert found == pytest.approx(scale.noise_scale(*grads, 8, 64), rel=0.01)

    def test_the_noise_scale_refuses_sizes_and_lengths_that_make_no_sense(self):
        grads = torch.ones(2, 3), torch.ones(2, 3)
        for sizes in ((8, 8), (8, 4), (0, 4)):
            with pytest.raises(ValueError, match="b_small"):
                scale.noise_scale(*grads, *sizes)
        with pytest.raises(ValueError, match="squared length"):
            scale.noise_scale(3 * torch.ones(1, 2), torch.zeros(1, 2), 1, 2)
        for small, large in (
            (torch.ones(2, 3), 2 * torch.ones(2, 3)),
            (torch.ones(2, 3), torch.full((2, 3), torch.nan)),
            (torch.ones(0, 3),) * 2,
        ):
            with pytest.raises(ValueError, match="trace"):
                scale.noise_scale(small, large, 1, 2)
        assert scale.noise_scale(*grads, 1, 4) == pytest.approx((3, 0, 0))

    @pytest.mark.parametrize(
        ("samples", "count", "label_noise", "floor"),
        [(10, 40, 1.0, False), (200, 10, 0.0, False), (200, 10, 1.0, True)],
    )
    def test_noise_vanishes_at_the_minimum_if_each_sample_can_be_fitted(self, samples, count, label_noise, floor):
        x = torch.randn(samples, count, dtype=torch.float64) / count**0.5
        y = x.sum(dim=1) + label_noise * torch.randn(samples, dtype=torch.float64)
        best = (x @ torch.linalg.lstsq(x, y[:, None]).solution - y[:, None]).square().mean().item()
        left = descend(x, y, 3000, 0.5) - best
        assert left > 1e-2 if floor else left < 1e-20

    def test_shuffled_epochs_settle_below_independent_draws_and_the_more_so_at_a_small_rate(self):
        x = torch.randn(64, 4, dtype=torch.float64)
        y = x.sum(dim=1) + torch.randn(64, dtype=torch.float64)
        solution = torch.linalg.lstsq(x, y[:, None]).solution[:, 0]
        lowest = (x @ solution - y).square().mean()
        rates, runs, floors = torch.tensor([0.02, 0.005], dtype=torch.float64), 48, []
        for shuffled in (False, True):
            w, losses = solution.expand(2, runs, 4).clone(), []
            for epoch in range(24):
                draws = torch.rand(runs, 64).argsort(1) if shuffled else torch.randint(64, (runs, 64))
                for i in draws.T:
                    w -= 2 * rates[:, None, None] * ((w * x[i]).sum(2) - y[i]).unsqueeze(2) * x[i]
                    if epoch >= 8:
                        losses.append((w @ x.T - y).square().mean(dim=(1, 2)) - lowest)
            floors.append(torch.stack(losses).mean(0))
        independent, shuffled = floors
        assert (shuffled < 0.75 * independent).all() and shuffled[1] < 0.35 * independent[1]
        assert 3.7 < independent[0] / independent[1] < 5.5
        assert 9 < shuffled[0] / shuffled[1] < 17

    @pytest.mark.parametrize("seed", [0, 1])
    def test_the_floor_of_a_small_network_follows_rate_over_batch(self, seed):
        g = torch.Generator().manual_seed(seed)
        new = functools.partial(torch.randn, generator=g, dtype=torch.float64)
        x = new(64, 2)
        y = torch.sin(2 * x[:, 0]) * x[:, 1] + 0.5 * new(64)
        weights = [new(1, 2, 6), new(1, 1, 6), new(1, 6, 1) / 6**0.5]

        def residuals(weights, x, y):
            return (torch.tanh(x @ weights[0] + weights[1]) @ weights[2]).squeeze(2) - y

        def sgd(weights, settings, steps):
            """Weights, and the mean training loss of the last two thirds of the steps."""
            weights = [w.clone().requires_grad_() for w in weights]
            rate = torch.tensor([r for r, _ in settings], dtype=torch.float64)[:, None, None]
            size = torch.tensor([b for _, b in settings])
            share = (torch.arange(int(size.max())) < size[:, None]) / size[:, None]
            losses = []
            for t in range(steps):
                full = share.shape[1] == 64
                i = torch.arange(64).expand(len(size), -1) if full else torch.randint(64, share.shape, generator=g)
                loss = (residuals(weights, x[i], y[i]).square() * share).sum()
                for w, gradient in zip(weights, torch.autograd.grad(loss, weights), strict=True):
                    w.data -= rate * gradient
                if t >= steps // 3 and t % 5 == 0:
                    losses.append(residuals(weights, x, y).detach().square().mean(1))
            return [w.detach() for w in weights], torch.stack(losses).mean(0)

        start, _ = sgd(weights, [(0.3, 64)], 300)
        settings = [setting for setting in ((0.1, 2), (0.1, 8), (0.025, 2), (0.05, 4)) for _ in range(8)]
        ends, losses = sgd([w.expand(32, -1, -1) for w in start], settings, 300)
        _, nearest = sgd(ends, [(0.2, 64)] * 32, 150)
        high, *low = (losses - nearest).view(4, 8).mean(1).tolist()
        assert all(3.7 < high / floor < 5.7 for floor in low)

    def test_the_mean_of_the_last_weights_is_far_below_the_floor(self):
        w, last = torch.full((200, 2), 3.0, dtype=torch.float64), []
        for t in range(1000):
            w = w - 0.2 * (quadratic.CURVATURE * w + torch.randn(200, 2, dtype=torch.float64))
            if t >= 500:
                last.append(w)
        losses = [
            (quadratic.CURVATURE * v**2).sum(dim=-1).mean().item() / 2 for v in (torch.stack(last), sum(last) / 500)
        ]
        assert losses[0] == pytest.approx(quadratic.floor(0.2, 1), rel=0.1)
        assert losses[1] == pytest.approx(losses[0] / 10, rel=0.25)

    def test_a_window_of_accumulation_gives_both_sizes(self):
        parts = scale.gradients(1.0, 8, 12_000, 3).view(1500, 8, 20)
        length, trace, _ = scale.noise_scale(parts[:, 0], parts.mean(dim=1), 8, 64)
        assert length == pytest.approx(1, rel=0.15)
        assert trace == pytest.approx(41, rel=0.1)
        clipped = parts.mean(dim=1)
        clipped /= clipped.norm(dim=1, keepdim=True).clamp(min=1)
        assert scale.noise_scale(parts[:, 0], clipped, 8, 64)[0] < 0.6
        w, x = torch.ones(3, requires_grad=True), torch.randn(4, 5, 3)
        for k, part in enumerate(x):
            ((part @ w).square().mean() / 4).backward()
            if k == 0:
                small = 4 * w.grad.clone()
        for found, batch in ((small, x[0]), (w.grad, x.flatten(0, 1))):
            torch.testing.assert_close(found, torch.autograd.grad((batch @ w).square().mean(), w)[0])

    @pytest.mark.parametrize("rate", [0.5, 0.05])
    @pytest.mark.parametrize("smooth", [True, False])
    def test_with_an_l1_loss_the_noise_does_not_vanish_with_the_loss(self, rate, smooth):
        x = torch.randn(10, 40, dtype=torch.float64) / 40**0.5
        y = torch.randn(10, dtype=torch.float64)
        w = torch.zeros(40, dtype=torch.float64)
        for i in torch.randint(10, (8000,)).tolist():
            residual = x[i] @ w - y[i]
            w -= rate * (residual if smooth else residual.sign()) * x[i]
        left = (x @ w - y).abs().mean().item()
        assert left < 1e-6 if smooth else 0.2 * rate < left < rate

    @pytest.mark.parametrize("b", [2, 3])
    @pytest.mark.parametrize("norm", [torch.nn.BatchNorm1d, torch.nn.LayerNorm])
    def test_batch_norm_biases_the_gradient_of_a_batch(self, norm, b):
        model = torch.nn.Sequential(torch.nn.Linear(3, 4), norm(4), torch.nn.Tanh(), torch.nn.Linear(4, 1)).double()
        x, y = torch.randn(6, 3, dtype=torch.float64), torch.randn(6, 1, dtype=torch.float64)

        def gradient(i):
            loss = (model(x[list(i)]) - y[list(i)]).square().mean()
            return torch.cat([g.flatten() for g in torch.autograd.grad(loss, list(model.parameters()))])

        full = gradient(range(6))
        bias = torch.stack([gradient(i) for i in itertools.combinations(range(6), b)]).mean(0) - full
        assert bias.norm() > 0.05 * full.norm() if norm is torch.nn.BatchNorm1d else bias.norm() < 1e-10

    def test_the_mean_of_the_noise_is_zero(self):
        samples = torch.randn(6, 2, dtype=torch.float64)
        for b in (1, 2, 3):
            means = torch.stack([samples[list(i)].mean(0) for i in itertools.combinations(range(6), b)])
            torch.testing.assert_close(means.mean(0), samples.mean(0))
