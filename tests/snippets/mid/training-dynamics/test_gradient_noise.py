"""Every claim that docs/mid/training-dynamics/gradient-noise.md makes, proven beyond the example shown."""

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
        found = quadratic.excess(lr, b, steps=400)[-100:].mean().item()
        assert found == pytest.approx(quadratic.floor(lr, b), rel=0.05)

    def test_batch_and_rate_lower_the_floor_alike_and_a_falling_rate_ends_below(self):
        assert quadratic.floor(0.2, 8) == pytest.approx(quadratic.floor(0.025, 1), rel=0.1)
        falls = quadratic.excess(0.2, 1, falls=True, steps=1000)[-1].item()
        assert falls < 0.3 * quadratic.floor(0.2, 1)

    def test_momentum_settles_near_the_floor_of_the_larger_rate(self):
        found = quadratic.excess(0.02, 1, steps=600, momentum=0.9)[-200:].mean().item()
        assert found == pytest.approx(quadratic.floor(0.2, 1), rel=0.1)

    @pytest.mark.parametrize("distance", [3.0, 1.0])
    @pytest.mark.parametrize(("small", "large"), [(4, 16), (8, 64)])
    def test_two_batch_sizes_give_length_trace_and_scale(self, distance, small, large):
        grads = [scale.gradients(distance, b, 4000, seed) for seed, b in enumerate((small, large))]
        length, trace, ratio = scale.noise_scale(*grads, small, large)
        assert length == pytest.approx(distance**2, rel=0.1)
        assert trace == pytest.approx(21 * distance**2 + 20, rel=0.1)
        assert ratio == pytest.approx(trace / length)

    def test_the_noise_scale_refuses_sizes_and_lengths_that_make_no_sense(self):
        grads = torch.ones(2, 3), torch.ones(2, 3)
        for sizes in ((8, 8), (8, 4), (0, 4)):
            with pytest.raises(ValueError, match="b_small"):
                scale.noise_scale(*grads, *sizes)
        with pytest.raises(ValueError, match="squared length"):
            scale.noise_scale(3 * torch.ones(1, 2), torch.zeros(1, 2), 1, 2)
        assert scale.noise_scale(*grads, 1, 4) == pytest.approx((3, 0, 0))

    @pytest.mark.parametrize(
        ("samples", "label_noise", "floor"), [(10, 0.0, False), (10, 1.0, False), (200, 1.0, True)]
    )
    def test_noise_vanishes_at_the_minimum_if_each_sample_can_be_fitted(self, samples, label_noise, floor):
        x = torch.randn(samples, 40, dtype=torch.float64) / 40**0.5
        y = x.sum(dim=1) + label_noise * torch.randn(samples, dtype=torch.float64)
        best = (x @ torch.linalg.lstsq(x, y[:, None]).solution - y[:, None]).square().mean().item()
        left = descend(x, y, 3000, 0.5) - best
        assert left > 1e-2 if floor else left < 1e-20

    def test_the_mean_of_the_noise_is_zero(self):
        samples = torch.randn(6, 2, dtype=torch.float64)
        for b in (1, 2, 3):
            means = torch.stack([samples[list(i)].mean(0) for i in itertools.combinations(range(6), b)])
            torch.testing.assert_close(means.mean(0), samples.mean(0))
