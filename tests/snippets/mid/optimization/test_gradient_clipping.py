"""What docs/mid/optimization/gradient-clipping.md claims, proven beyond the example shown."""

import contextlib

import pytest
import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_, clip_grad_value_
from torch.optim import SGD

from warmup.testing import load_snippet

clipping = load_snippet("mid/optimization/gradient_clipping_broken.py")
clipping_adam = load_snippet("mid/optimization/gradient_clipping_adam.py")
clipping_tuned = load_snippet("mid/optimization/gradient_clipping_tuned.py")


def with_gradients(scale: float, dtype: torch.dtype = torch.float32) -> list[nn.Parameter]:
    """Three parameters of different shapes whose gradients are normal numbers times a scale."""
    generator = torch.Generator().manual_seed(0)
    parameters = [nn.Parameter(torch.zeros(shape, dtype=dtype)) for shape in [(3, 4), (5,), (2, 2, 2)]]
    for parameter in parameters:
        parameter.grad = scale * torch.randn(parameter.shape, generator=generator, dtype=dtype)
    return parameters


def flat(parameters: list[nn.Parameter]) -> torch.Tensor:
    return torch.cat([parameter.grad.flatten() for parameter in parameters])


class TestGradientClipping:
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    @pytest.mark.parametrize("norm_type", [2.0, 1.0, torch.inf])
    @pytest.mark.parametrize("scale", [0.001, 1.0, 100.0])
    def test_by_norm_scales_all_by_one_factor_and_returns_the_norm_before(self, dtype, norm_type, scale):
        parameters = with_gradients(scale, dtype)
        raw = flat(parameters)
        returned = clip_grad_norm_(parameters, 0.5, norm_type=norm_type)
        norm = torch.linalg.vector_norm(raw, norm_type)
        torch.testing.assert_close(returned, norm)
        torch.testing.assert_close(flat(parameters), raw * min(1.0, 0.5 / (norm.item() + 1e-6)))
        torch.testing.assert_close(
            clip_grad_norm_(parameters, 9.9, norm_type=norm_type), norm.clamp(max=0.5), rtol=1e-5, atol=0
        )

    @pytest.mark.parametrize("scale", [1.0, 100.0])
    def test_by_value_cuts_each_element_turns_the_direction_and_returns_nothing(self, scale):
        parameters = with_gradients(scale)
        raw = flat(parameters)
        assert clip_grad_value_(parameters, 0.5) is None
        assert torch.equal(flat(parameters), raw.clamp(-0.5, 0.5))
        assert torch.cosine_similarity(raw, flat(parameters), dim=0) < 0.99

    def test_a_gradient_below_the_limit_stays_as_it_is(self):
        for clip in (clip_grad_norm_, clip_grad_value_):
            parameters = with_gradients(0.01)
            raw = flat(parameters)
            clip(parameters, 1.0)
            assert torch.equal(flat(parameters), raw)

    @pytest.mark.parametrize("limit", [0.5, 2.0, 4.9])
    def test_only_between_backward_and_step_over_all_parameters_it_bounds_the_step(self, limit):
        expected = {
            "in between": limit,
            "before backward()": 5.0,
            "after step()": 5.0,
            "each parameter alone": (min(3, limit) ** 2 + min(4, limit) ** 2) ** 0.5,
        }
        for when, length in expected.items():
            assert clipping.step_length(when, limit) == pytest.approx(length, rel=1e-5)
            assert clipping.step_length(when, 6.0) == pytest.approx(5.0)

    @pytest.mark.parametrize("scale", [256.0, 65536.0])
    def test_before_unscale_the_limit_is_divided_by_the_scale(self, scale):
        for unscaled_first, length in ((True, 1.0), (False, 1 / scale)):
            w = nn.Parameter(torch.zeros(2))
            optimizer, scaler = SGD([w], lr=1.0), torch.amp.GradScaler("cpu", init_scale=scale)
            scaler.scale((w * torch.tensor([3.0, 4.0])).sum()).backward()
            if unscaled_first:
                scaler.unscale_(optimizer)
            clip_grad_norm_([w], 1.0)
            scaler.step(optimizer)
            assert w.norm().item() == pytest.approx(length, rel=1e-5)

    @pytest.mark.parametrize("bad", [torch.inf, -torch.inf, torch.nan])
    def test_one_non_finite_element_spoils_the_norm_and_the_error_comes_before_any_change(self, bad):
        parameters = with_gradients(1.0)
        parameters[1].grad[0] = bad
        before = flat(parameters)
        with pytest.raises(RuntimeError, match="non-finite, so it cannot be clipped"):
            clip_grad_norm_(parameters, 1.0, error_if_nonfinite=True)
        torch.testing.assert_close(flat(parameters), before, rtol=0, atol=0, equal_nan=True)
        assert not clip_grad_norm_(parameters, 1.0).isfinite()
        assert flat(parameters)[12].isnan()
        assert (flat(parameters)[:12] == 0).all() == (bad == bad)

    def test_without_outliers_the_search_prefers_no_limit_and_with_them_it_wins(self):
        clean, dirty = clipping_tuned.errors(0.0), clipping_tuned.errors(0.02)
        assert clean.mean(2).min() == clean[-1].mean(1).min()
        assert clipping_tuned.NORMS[-2] == 10.0
        assert clean[-2].mean(1).min() < 1.01 * clean[-1].mean(1).min()
        best = dirty.mean(2).argmin().item()
        norm, rate = divmod(best, len(clipping_tuned.RATES))
        assert 0 < norm < len(clipping_tuned.NORMS) - 1 and 0 < rate < len(clipping_tuned.RATES) - 1
        unclipped = dirty[-1].mean(1).argmin().item()
        assert 0 < unclipped < len(clipping_tuned.RATES) - 1
        assert unclipped < clean[-1].mean(1).argmin().item() < rate
        assert dirty[norm, rate].max() < dirty[-1, unclipped].min()

    def test_if_every_step_is_clipped_only_limit_times_rate_matters(self):
        for outliers in (0.0, 0.02):
            table = clipping_tuned.errors(outliers)
            assert clipping_tuned.NORMS[:2] == [0.1, 0.3] and clipping_tuned.RATES[-2:] == [0.1, 0.3]
            torch.testing.assert_close(table[0, -1], table[1, -2], rtol=0.01, atol=0)
        for options, same in (({}, True), ({"momentum": 0.9}, True), ({"weight_decay": 0.1}, False)):
            ends = []
            for lr, limit in ((0.125, 0.01), (0.01, 0.125)):
                w = nn.Parameter(torch.tensor([5.0, -6.0], dtype=torch.float64))
                optimizer = SGD([w], lr=lr, **options)
                for _ in range(10):
                    optimizer.zero_grad()
                    (w**4).sum().backward()
                    clip_grad_norm_([w], limit)
                    optimizer.step()
                ends.append(w.detach())
            assert torch.allclose(*ends, rtol=0, atol=1e-6) is same

    @pytest.mark.parametrize("spike", [100.0, 1000.0])
    def test_a_spike_shortens_adams_later_steps_unless_it_is_clipped(self, spike):
        raw, clipped = clipping_adam.steps(spike, torch.inf), clipping_adam.steps(spike, 1.0)
        assert raw[100] < 0.15 and raw[19] == pytest.approx(1.0)
        assert spike < 1000 or all(0.01 < length < 0.015 for length in raw[70:])
        assert all(length == pytest.approx(1.0, abs=1e-3) for length in clipped)
        sooner = clipping_adam.steps(spike, torch.inf, beta2=0.8)
        assert sooner[-1] > 0.9 > raw[-1]

    def test_a_summed_loss_has_a_norm_64_times_as_large(self):
        x, w = torch.randn(64, 3), nn.Parameter(torch.ones(3))
        norms = []
        for reduce in (torch.mean, torch.sum):
            w.grad = None
            reduce((x @ w - 1) ** 2).backward()
            norms.append(clip_grad_norm_([w], 1.0))
        torch.testing.assert_close(norms[1], 64 * norms[0])

    def test_the_scaler_finds_the_infinity_before_the_clipping_and_skips_the_step(self):
        w = nn.Parameter(torch.ones(2))
        optimizer, scaler = torch.optim.SGD([w], lr=1.0), torch.amp.GradScaler("cpu")
        scaler.scale((w * torch.tensor([torch.inf, 1.0])).sum()).backward()
        scaler.unscale_(optimizer)
        clip_grad_norm_([w], 1.0)
        scaler.step(optimizer)
        assert torch.equal(w, torch.ones(2))

    def test_the_error_stops_a_run_whose_step_the_scaler_would_skip(self):
        for scale, raises in ((2.0**16, True), (1.0, False)):
            w = nn.Parameter(torch.ones(1))
            optimizer, scaler = SGD([w], lr=1.0), torch.amp.GradScaler("cpu", init_scale=scale)
            scaler.scale((1e35 * w).sum()).backward()
            scaler.unscale_(optimizer)
            with pytest.raises(RuntimeError, match="non-finite") if raises else contextlib.nullcontext():
                clip_grad_norm_([w], 1.0, error_if_nonfinite=True)
            scaler.step(optimizer)
            assert (w.item() == 1.0) is raises
