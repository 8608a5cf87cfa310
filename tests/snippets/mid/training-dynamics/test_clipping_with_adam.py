"""Every claim that docs/mid/training-dynamics/clipping-with-adam.md makes, proven beyond the example shown."""

import functools
import math

import pytest
import torch
from torch.nn.utils import clip_grad_norm_

from warmup.testing import load_snippet

spike = load_snippet("mid/training-dynamics/clipping_with_adam_spike.py")
tuned = load_snippet("mid/training-dynamics/clipping_with_adam_tuned.py")
ends = load_snippet("mid/training-dynamics/clipping_with_adam_range_broken.py")


SPIKES = [1.0, 10.0, 100.0, 1000.0, 1e6, -1e6, 1e8]


@functools.cache
def after(s: float, beta2: float = 0.999) -> torch.Tensor:
    """One column of the same run for all tests."""
    return _all(beta2)[:, SPIKES.index(s)]


@functools.cache
def _all(beta2: float) -> torch.Tensor:
    return spike.steps_after(SPIKES, 5830 if beta2 == 0.999 else 300, beta2)


def weights(stream, max_norm=torch.inf, factor=1.0, kind=torch.optim.Adam, **options):
    w = torch.ones_like(stream[0], requires_grad=True)
    optimizer = kind([w], lr=0.1, **options)
    for gradient in stream:
        w.grad = factor * gradient
        clip_grad_norm_([w], max_norm)
        optimizer.step()
    return w.detach()


def draws(shift: float, steps: int = 60) -> torch.Tensor:
    return shift + torch.randn(steps, 4, dtype=torch.float64)


class TestClippingWithAdam:
    @pytest.mark.parametrize("shift", [0.0, 1.0])
    @pytest.mark.parametrize("kind", [torch.optim.Adam, torch.optim.AdamW, torch.optim.NAdam])
    def test_a_constant_factor_cancels_and_not_with_sgd(self, shift, kind):
        stream = draws(shift)
        for factor in (1e-3, 30.0):
            torch.testing.assert_close(
                weights(stream, factor=factor, kind=kind), weights(stream, kind=kind), atol=1e-4, rtol=0
            )
        sgd = weights(stream, kind=torch.optim.SGD) - weights(stream, factor=30.0, kind=torch.optim.SGD)
        assert sgd.abs().max() > 1

    @pytest.mark.parametrize("shift", [0.0, 1.0])
    def test_if_all_steps_are_clipped_the_limit_cancels_and_the_gradients_are_equally_long(self, shift):
        stream = draws(shift)
        assert stream.norm(dim=1).min() > 0.1
        small, large = weights(stream, 0.01), weights(stream, 0.1)
        torch.testing.assert_close(small, large, atol=1e-4, rtol=0)
        torch.testing.assert_close(large, weights(stream / stream.norm(dim=1, keepdim=True)), atol=1e-4, rtol=0)
        assert (large - weights(stream)).abs().max() > 0.01
        sgd = [1 - weights(stream, limit, kind=torch.optim.SGD) for limit in (0.01, 0.1)]
        torch.testing.assert_close(10 * sgd[0], sgd[1], atol=1e-4, rtol=0)

    @pytest.mark.parametrize("decay", [0.0, 0.1])
    def test_limit_and_rate_of_sgd_are_one_number_only_without_weight_decay(self, decay):
        stream = draws(1.0)
        low_limit = weights(stream, 0.01, kind=torch.optim.SGD, weight_decay=decay)
        found = torch.ones(4, dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.SGD([found], lr=0.01, weight_decay=decay)
        for gradient in stream:
            found.grad = gradient.clone()
            clip_grad_norm_([found], 0.1)
            optimizer.step()
        assert torch.allclose(low_limit, found, atol=1e-4) is (decay == 0)

    @pytest.mark.parametrize("kind", [torch.optim.Adam, torch.optim.AdamW])
    def test_a_clipped_spike_does_not_shorten_the_steps_after_it(self, kind):
        stream = draws(1.0, 200)
        spiked = stream.clone()
        spiked[50] *= 1000
        raw, with_spike, clipped = weights(stream), weights(spiked), weights(spiked, 10.0)
        assert (1 - with_spike).sum() < 0.6 * (1 - raw).sum()
        assert (1 - clipped).sum().item() == pytest.approx((1 - raw).sum().item(), rel=0.1)

    @pytest.mark.parametrize("beta2", [0.999, 0.95])
    def test_the_length_after_a_spike_is_that_of_the_formula(self, beta2):
        for s in (100.0, 1000.0):
            for k in (120, 200, 299) if beta2 == 0.95 else (150, 400, 1100):
                expected = 1 / math.sqrt(1 + (1 - beta2) * s**2 * beta2**k)
                assert after(s, beta2)[k].item() == pytest.approx(expected, rel=0.02)

    @pytest.mark.parametrize(("beta2", "rates"), [(0.999, 32), (0.95, 6)])
    def test_a_large_spike_moves_the_weight_by_a_number_of_rates_that_does_not_depend_on_it(self, beta2, rates):
        found = [after(s, beta2)[:100].sum().item() for s in (1e6, -1e6, 1e8)]
        assert found[0] == pytest.approx(-found[1], rel=0.01)
        assert found[2] == pytest.approx(found[0], rel=0.01)
        assert found[2] == pytest.approx(rates, rel=0.05)
        # beta2 = 0.95 forgets while the momentum lasts, which adds to the sum
        assert found[2] == pytest.approx(0.1 / math.sqrt(1 - beta2) / (1 - 0.9 / math.sqrt(beta2)), rel=0.01)
        assert (1 / math.sqrt(1 - beta2) == pytest.approx(found[2], rel=0.05)) is (beta2 == 0.999)

    @pytest.mark.parametrize(("beta2", "s", "k"), [(0.999, 100, 1203), (0.999, 1000, 5806), (0.95, 1000, 190)])
    def test_half_of_the_length_is_back_after_the_logarithm_of_the_spike(self, beta2, s, k):
        assert math.log((1 - beta2) * s**2 / 3) / -math.log(beta2) == pytest.approx(k, abs=2)
        assert (after(float(s), beta2) < 0.5).nonzero()[-1].item() == pytest.approx(k, abs=6)

    def test_a_spike_of_ten_does_little_and_a_clipped_one_nothing(self):
        torch.testing.assert_close(after(1.0), torch.ones(len(after(1.0)), dtype=torch.float64))
        assert after(10.0).min() > 0.9 and after(10.0).max() < 2

    def test_with_amsgrad_the_spike_does_not_fade(self):
        found = spike.steps_after([1000.0], 2000, amsgrad=True)[:, 0]
        assert after(1000.0)[2000].item() == pytest.approx(0.09, abs=0.005)
        assert found[-1].item() == pytest.approx(1 / math.sqrt(1000), rel=0.01)
        assert found[200].item() == pytest.approx(found[-1].item(), rel=0.01)

    def test_clipping_helps_with_outliers_and_the_limit_cancels_where_all_is_clipped(self):
        rare = tuned.errors(0.002).numpy()
        best = {norm: table[table.mean(axis=1).argmin()] for norm, table in zip(tuned.NORMS, rare, strict=True)}
        assert best[3.0].max() < best[torch.inf].min()
        assert best[0.01].mean() == pytest.approx(best[0.1].mean(), rel=1e-3)
        assert best[torch.inf].mean() == pytest.approx(0.37, abs=0.01)
        assert best[3.0].mean() == pytest.approx(0.12, abs=0.01)
        without = tuned.errors(0.0).mean(dim=2).amin(dim=1)
        assert without.max() - without.min() < 0.02
        faster = tuned.errors(0.002, beta2=0.95)[-1].mean(dim=1).min().item()
        assert faster == pytest.approx(0.23, abs=0.01)

    def test_a_limit_that_clips_each_step_costs_a_little_with_a_finer_grid_of_rates(self, monkeypatch):
        monkeypatch.setattr(tuned, "RATES", [0.0125, 0.015, 0.0175, 0.02])
        monkeypatch.setattr(tuned, "NORMS", [0.01, 3.0])
        table = tuned.errors(0.002, seeds=40)
        each, few = (errors[errors.mean(dim=1).argmin()] for errors in table)
        assert all(0 < errors.mean(dim=1).argmin() < 3 for errors in table)
        assert (round(each.mean().item(), 3), round(few.mean().item(), 3)) == (0.153, 0.143)
        assert (each > few).sum() == 29

    @pytest.mark.parametrize(("limit", "adam", "amsgrad"), [(1.0, 1.0, 1.0), (10.0, 0.96, 0.78)])
    def test_spikes_clipped_above_the_usual_norm_stay_in_amsgrad(self, limit, adam, amsgrad):
        stream = torch.ones(5900, 1, dtype=torch.float64)
        stream[3000:4000:100] = limit
        for options, expected in (({}, adam), ({"amsgrad": True}, amsgrad)):
            w = torch.zeros(1, dtype=torch.float64, requires_grad=True)
            optimizer = torch.optim.Adam([w], lr=1.0, **options)
            for gradient in stream:
                before, w.grad = w.item(), gradient
                optimizer.step()
            assert before - w.item() == pytest.approx(expected, abs=0.005)

    @pytest.mark.parametrize("share", [0.2, 0.5])
    def test_if_some_steps_are_clipped_adam_sees_those_above_the_limit_at_its_length(self, share):
        stream = draws(1.0)
        norms = stream.norm(dim=1, keepdim=True)
        limit = norms.quantile(1 - share).item()
        seen = torch.where(norms > limit, stream * limit / norms, stream)
        torch.testing.assert_close(weights(stream, limit), weights(seen), atol=1e-5, rtol=0)

    def test_the_loop_of_the_regression_is_adam(self):
        # one rate, one limit: the same draws through torch.optim.Adam and clip_grad_norm_
        norm, rate = 3.0, 0.05
        g = torch.Generator().manual_seed(0)
        true = torch.randn(10, generator=g, dtype=torch.float64)
        w = torch.zeros(10, dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.Adam([w], lr=rate, betas=(0.9, 0.95))
        for _ in range(30):
            x = torch.randn(16, 10, generator=g, dtype=torch.float64)
            noise = torch.randn(16, generator=g, dtype=torch.float64)
            noise *= 1 + 99 * (torch.rand(16, generator=g) < 0.02)
            optimizer.zero_grad()
            (x @ w - x @ true - noise).square().mean().backward()
            clip_grad_norm_([w], norm)
            optimizer.step()
        found = tuned.errors(0.02, beta2=0.95, seeds=1, steps=30)
        found = found[tuned.NORMS.index(norm), tuned.RATES.index(rate), 0]
        torch.testing.assert_close((w.detach() - true).norm(), found)

    @pytest.mark.parametrize("scale", [1e-10, 1e-8])
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    def test_near_eps_a_constant_gradient_moves_by_g_over_g_plus_eps(self, scale, dtype):
        expected = 100 * scale / (scale + 1e-8)
        assert ends.moved(scale, dtype)[0] == pytest.approx(expected, rel=1e-3)

    @pytest.mark.parametrize(("scale", "dtype", "later"), [(1e21, torch.float32, False), (1e21, torch.float64, True)])
    def test_an_infinite_second_moment_stops_the_weight_for_good_without_a_nan(self, scale, dtype, later):
        w = torch.zeros(2, dtype=dtype, requires_grad=True)
        optimizer = torch.optim.Adam([w], lr=1.0)
        for t in range(500):
            w.grad = torch.ones_like(w)
            if t == 0:
                w.grad[0] = scale
            optimizer.step()
        assert w.isfinite().all()
        assert w[1].item() == pytest.approx(-500, rel=1e-3)
        assert bool(w[0] != 0) is later
        assert bool(optimizer.state[w]["exp_avg_sq"][0].isinf()) is not later

    @pytest.mark.parametrize(
        ("scale", "beta1", "rates"), [(1e18, 0.9, 9.5), (1e18, 0.0, 0.0), (1e-12, 0.9, 170), (1e-12, 0.0, 210)]
    )
    def test_after_large_gradients_momentum_moves_and_after_tiny_ones_the_mean_of_the_squares_lags(
        self, scale, beta1, rates
    ):
        stream = torch.tensor([scale] * 100 + [1.0] * 100, dtype=torch.float64)[:, None]
        options = {"betas": (beta1, 0.999)}
        moved = (weights(stream[:100], **options) - weights(stream, **options)).item() / 0.1
        assert moved == pytest.approx(rates, rel=0.02, abs=1e-9)

    def test_a_step_without_gradient_costs_one_rate_in_all(self):
        w = torch.zeros(1, dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.Adam([w], lr=1.0)
        places = []
        for t in range(1200):
            w.grad = torch.full_like(w, 1e-3 if t == 1000 else 1.0)
            places.append(-w.item())
            optimizer.step()
        lengths = torch.tensor(places).diff()[1000:]
        assert lengths[:3].tolist() == pytest.approx([0.90, 0.91, 0.92], abs=0.002)
        assert (1 - lengths[:100]).sum().item() == pytest.approx(1, abs=0.1)

    def test_with_an_l2_term_the_limit_counts_and_with_decoupled_decay_it_does_not(self):
        stream = draws(1.0, 200)
        for kind, cancels in ((torch.optim.Adam, False), (torch.optim.AdamW, True)):
            found = [weights(stream, limit, kind=kind, weight_decay=0.1) for limit in (0.01, 0.1)]
            assert torch.allclose(*found, atol=1e-3) is cancels
            if not cancels:
                assert found[0].norm() < found[1].norm()

    @pytest.mark.parametrize(("n", "limit", "shrinks"), [(1_000_000, 1e-6, True), (1_000_000, 1.0, False)])
    def test_a_clipped_gradient_can_come_down_to_eps(self, n, limit, shrinks):
        w = torch.zeros(n, requires_grad=True)
        optimizer = torch.optim.Adam([w], lr=1.0)
        w.grad = torch.randn(n)
        clip_grad_norm_([w], limit)
        assert w.grad.square().mean().sqrt().item() == pytest.approx(limit / 1000, rel=0.01 if limit > 1e-3 else 0.51)
        optimizer.step()
        assert bool(w.abs().mean() < 0.5) is shrinks

    @pytest.mark.parametrize(("beta2", "longest"), [(0.999, 6.57), (0.95, 1.10)])
    @pytest.mark.parametrize("max_norm", [1.0, torch.inf])
    def test_gradients_that_grow_below_the_limit_make_long_steps_with_a_large_beta2(self, beta2, longest, max_norm):
        w = torch.zeros(1, dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.Adam([w], lr=1.0, betas=(0.9, beta2))
        moves = []
        for t in range(3030):
            before, w.grad = w.item(), torch.full_like(w, 1e-3 if t < 3000 else 1.0)
            clip_grad_norm_([w], max_norm)
            optimizer.step()
            moves.append(before - w.item())
        assert moves[2999] == pytest.approx(1, abs=0.01)
        assert max(moves[3000:]) == pytest.approx(longest, rel=0.03)
