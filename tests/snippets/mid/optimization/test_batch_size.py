"""What docs/mid/optimization/batch-size.md claims, proven beyond the example shown."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch.nn.utils import clip_grad_norm_
from torch.optim import SGD

from warmup.testing import load_snippet

batch_rates = load_snippet("mid/optimization/batch_size_rates.py")
batch_broken = load_snippet("mid/optimization/batch_size_broken.py")


class TestBatchSize:
    @pytest.mark.parametrize("batch", [4, 32])
    @pytest.mark.parametrize("power", [1, 3])
    def test_the_variance_of_a_mean_falls_as_one_over_the_batch(self, batch, power):
        samples = torch.randn(5000, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) ** power
        drawn = torch.randint(5000, (20_000, batch), generator=torch.Generator().manual_seed(1))
        ratio = samples[drawn].mean(dim=1).var() * batch / samples.var()
        assert ratio.item() == pytest.approx(1, abs=0.1)

    def test_sgds_best_rate_follows_the_batch_until_the_limit_of_stability(self):
        def best(batch: int) -> float:
            needed = batch_rates.steps_needed("SGD", batch, limit=150)
            return batch_rates.RATES[int(needed.median(dim=1).values.argmin())]

        assert best(8) >= 2 * best(2)
        assert best(128) <= 2 * best(32)

    def test_adams_best_rate_grows_less(self):
        def best(batch: int) -> float:
            needed = batch_rates.steps_needed("Adam", batch, limit=150)
            return batch_rates.RATES[int(needed.median(dim=1).values.argmin())]

        assert best(8) <= 2 * best(1)
        assert best(64) >= 2 * best(8)

    @pytest.mark.parametrize(("mean", "grows"), [(0.0, True), (100.0, False)])
    def test_adams_divisor_shrinks_with_the_root_of_the_batch_only_where_noise_dominates(self, mean, grows):
        def divisor(batch: int) -> float:
            generator = torch.Generator().manual_seed(batch)
            w = torch.zeros(500, dtype=torch.float64, requires_grad=True)
            optimizer = torch.optim.Adam([w])
            for _ in range(200):
                noise = torch.randn(batch, 500, dtype=torch.float64, generator=generator)
                w.grad = mean + noise.mean(dim=0)
                optimizer.step()
            return (optimizer.state[w]["exp_avg_sq"] / (1 - 0.999**200)).sqrt().mean().item()

        assert divisor(1) / divisor(16) == pytest.approx(4.0 if grows else 1.0, rel=0.02)

    def test_the_linear_rule_ends_at_the_limit_of_stability(self):
        for seed in (20, 21):
            assert batch_broken.steps_needed(8 * 0.384, 128, seed) == 0
            assert 0 < batch_broken.steps_needed(0.384, 128, seed) < 10
            assert 0 < batch_broken.steps_needed(8**0.5 * 0.384, 128, seed) < 10

    def test_with_small_batches_the_limit_is_lower(self):
        for seed in (20, 21):
            assert 0 < batch_broken.steps_needed(0.768, 128, seed) < 10
            assert batch_broken.steps_needed(0.768, 4, seed) == 0

    @pytest.mark.parametrize("mixes", [False, True])
    def test_the_expected_gradient_depends_on_the_batch_only_if_a_layer_mixes_samples(self, mixes):
        samples = torch.randn(400, 1, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) ** 3

        def expected(batch: int) -> torch.Tensor:
            drawn = torch.randint(400, (4000, batch), generator=torch.Generator().manual_seed(batch))
            x = samples[drawn].squeeze(2)
            hidden = (x - x.mean(1, keepdim=True)) / (x.var(1, keepdim=True) + 1e-5).sqrt() if mixes else x / 4
            w = torch.ones(3, dtype=torch.float64, requires_grad=True)
            (hidden @ w - x[..., 0]).square().mean().backward()
            return w.grad

        gap = (expected(4) - expected(32)).norm() / expected(32).norm()
        assert gap > 0.2 if mixes else gap < 0.1

    def test_two_small_steps_are_nearly_one_step_with_twice_rate_and_batch(self):
        generator = torch.Generator().manual_seed(0)
        x = torch.randn(32, 20, dtype=torch.float64, generator=generator)
        y = torch.randn(32, dtype=torch.float64, generator=generator)

        def step(w: torch.Tensor, rows: slice, lr: float) -> torch.Tensor:
            return w - lr * x[rows].T @ (x[rows] @ w - y[rows]) / len(x[rows])

        start = torch.ones(20, dtype=torch.float64)
        gaps = []
        for lr in (1e-2, 1e-3):
            two = step(step(start, slice(0, 16), lr), slice(16, 32), lr)
            one = step(start, slice(0, 32), 2 * lr)
            gaps.append(((two - one).norm() / (one - start).norm()).item())
        assert gaps[1] < gaps[0] / 5 < 0.1

    def test_a_summed_loss_is_the_linear_rule_already(self):
        x = torch.randn(16, 3, generator=torch.Generator().manual_seed(0))
        mean, total = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
        (x @ mean).square().mean().backward()
        (x @ total).square().sum().backward()
        torch.testing.assert_close(total.grad, 16 * mean.grad)

    @pytest.mark.parametrize("weight_decay", [0.0, 0.1])
    @pytest.mark.parametrize("max_norm", [math.inf, 0.5])
    def test_a_summed_loss_multiplies_neither_weight_decay_nor_a_clipping_limit(self, weight_decay, max_norm):
        batches = torch.randn(20, 8, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
        trained = []
        for reduction, lr in (("mean", 8 * 0.005), ("sum", 0.005)):
            w = torch.ones(3, dtype=torch.float64, requires_grad=True)
            optimizer = SGD([w], lr=lr, weight_decay=weight_decay)
            for x in batches:
                optimizer.zero_grad()
                F.mse_loss(x @ w, 2 * x[:, 0], reduction=reduction).backward()
                clip_grad_norm_([w], max_norm)
                optimizer.step()
            trained.append(w.detach())
        alike = weight_decay == 0 and max_norm == math.inf
        assert ((trained[0] - trained[1]).abs().max() < 1e-9) == alike

    @pytest.mark.parametrize("batch", [2, 32, 64])
    def test_without_replacement_the_variance_is_smaller_by_a_known_factor(self, batch):
        samples = torch.randn(64, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
        keys = torch.rand(20_000, 64, generator=torch.Generator().manual_seed(1))
        means = samples[keys.argsort(dim=1)[:, :batch]].mean(dim=1)
        expected = samples.var(unbiased=False) / batch * (64 - batch) / 63
        torch.testing.assert_close(means.var(), expected, rtol=0.05, atol=1e-12)
