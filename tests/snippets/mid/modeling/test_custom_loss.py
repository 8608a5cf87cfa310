"""Every claim that docs/mid/modeling/custom-loss.md makes, proven beyond the example shown."""

import itertools
import math

import pytest
import torch
from torch.nn import functional as F

from warmup.testing import load_snippet

losses = load_snippet("mid/modeling/custom_loss_module.py")
small = load_snippet("mid/modeling/custom_loss.py")
broken = load_snippet("mid/modeling/custom_loss_broken.py")
reduction = load_snippet("mid/modeling/custom_loss_reduction.py")
SHAPES = [(1,), (7,), (5, 3), (2, 3, 4), (), (0, 3)]


def batch(shape, dtype=torch.float64, scale=3.0):
    return scale * torch.randn(shape, dtype=dtype), torch.rand(shape) < 0.4


class TestCustomLoss:
    @pytest.mark.parametrize("shape", SHAPES)
    @pytest.mark.parametrize("gamma", [0, 0.5, 1, 2, 5])
    @pytest.mark.parametrize("alpha", [None, 0.0, 0.1, 0.25, 1.0])
    def test_agrees_with_an_independent_formula_in_float64(self, shape, gamma, alpha):
        logits, positive = batch(shape)
        p = 1 / (1 + (-logits).exp())
        p_t = torch.where(positive, p, 1 - p)
        weights = (1.0, 1.0) if alpha is None else (alpha, 1 - alpha)
        alpha_t = torch.where(positive, *(torch.tensor(w, dtype=torch.float64) for w in weights))
        wanted = -alpha_t * (1 - p_t) ** gamma * p_t.log()
        torch.testing.assert_close(
            losses.focal_loss(logits, positive, gamma, alpha, "none"), wanted, rtol=1e-11, atol=1e-13
        )
        torch.testing.assert_close(losses.focal_loss(logits, positive, gamma, alpha, "sum"), wanted.sum())
        if wanted.numel():
            torch.testing.assert_close(losses.focal_loss(logits, positive, gamma, alpha), wanted.mean())

    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    def test_gamma_0_is_binary_cross_entropy_and_its_gradient(self, dtype):
        logits, positive = batch((9, 4), dtype)
        logits.requires_grad_()
        ours = losses.focal_loss(logits, positive, gamma=0, alpha=None)
        theirs = F.binary_cross_entropy_with_logits(logits, positive.to(dtype))
        torch.testing.assert_close(ours, theirs)
        torch.testing.assert_close(*(torch.autograd.grad(loss, logits)[0] for loss in (ours, theirs)))

    @pytest.mark.parametrize("gamma", [0, 0.5, 1, 2, 5])
    @pytest.mark.parametrize("mode", ["mean", "sum", "none"])
    def test_gradcheck_accepts_it_and_its_second_derivative(self, gamma, mode):
        logits, positive = batch((4, 2))
        logits.requires_grad_()

        def loss(z):
            return losses.focal_loss(z, positive, gamma, 0.25, mode)

        assert torch.autograd.gradcheck(loss, logits)
        assert torch.autograd.gradgradcheck(loss, logits)

    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
    @pytest.mark.parametrize("gamma", [0, 0.5, 1, 2, 5])
    def test_huge_logits_give_a_finite_loss_and_the_right_slope(self, dtype, gamma):
        for size in (20.0, 120.0, 9984.0):
            z = torch.tensor([-size, size, size, -size], dtype=dtype, requires_grad=True)
            positive = torch.tensor([True, True, False, False])
            loss = losses.focal_loss(z, positive, gamma, None, "none")
            assert loss.dtype == dtype
            loss.sum().backward()
            torch.testing.assert_close(loss.tolist(), [size, 0.0, size, 0.0], atol=1e-6, rtol=0)
            torch.testing.assert_close(z.grad.tolist(), [-1.0, 0.0, 1.0, 0.0], atol=2e-3, rtol=0)

    def test_refuses_what_would_broadcast_or_mean_something_else(self):
        logits, positive = batch((4,))
        for bad in (positive[:, None], positive[:2]):
            with pytest.raises(ValueError, match="shapes"):
                losses.focal_loss(logits, bad)
        for bad in (positive.double(), positive.long()):
            with pytest.raises(TypeError, match="floating and bool"):
                losses.focal_loss(logits, bad)
        with pytest.raises(TypeError, match="floating and bool"):
            losses.focal_loss(logits.long(), positive)
        for settings in (
            {"gamma": -1},
            {"gamma": math.nan},
            {"gamma": math.inf},
            {"alpha": 1.1},
            {"alpha": -0.1},
            {"reduction": "max"},
        ):
            with pytest.raises(ValueError, match="gamma|reduction"):
                losses.focal_loss(logits, positive, **settings)

    def test_the_mean_of_nothing_is_nan_as_in_torch(self):
        nothing = torch.empty(0), torch.empty(0, dtype=torch.bool)
        assert losses.focal_loss(*nothing).isnan()
        assert F.binary_cross_entropy_with_logits(nothing[0], nothing[0]).isnan()
        assert losses.focal_loss(*nothing, reduction="sum") == 0

    def test_the_module_keeps_its_settings_and_has_no_parameters(self):
        logits, positive = batch((6,))
        module = losses.FocalLoss(gamma=1.5, alpha=0.6)
        torch.testing.assert_close(module(logits, positive), losses.focal_loss(logits, positive, 1.5, 0.6))
        torch.testing.assert_close(losses.FocalLoss()(logits, positive), losses.focal_loss(logits, positive, 2, 0.25))
        assert not list(module.parameters())

    def test_the_small_function_is_the_module_without_alpha(self):
        logits, positive = batch((6, 2))
        torch.testing.assert_close(small.focal(logits, positive), losses.focal_loss(logits, positive, 2, None, "none"))

    def test_in_float32_the_sigmoid_of_20_is_1_and_the_log_of_the_rest_is_kept(self):
        z = torch.tensor(20.0)
        assert z.sigmoid() == 1
        assert F.logsigmoid(-z) == -20
        for dtype, last, first in ((torch.float32, 15.0, 18.0), (torch.float64, 34.0, 38.0)):
            assert 1 - torch.tensor(last, dtype=dtype).sigmoid() > 0
            assert 1 - torch.tensor(first, dtype=dtype).sigmoid() == 0
        assert torch.tensor(1e-8).half() == 0

    def test_the_nan_comes_from_the_slope_of_the_sigmoid_and_not_from_a_loss_of_zero(self):
        z = torch.tensor(20.0, requires_grad=True)
        assert F.binary_cross_entropy_with_logits(z, torch.ones(())) > 0
        assert torch.autograd.grad(z.sigmoid(), z)[0] == 0

    def test_the_four_forms_agree_at_moderate_logits(self):
        z = torch.linspace(-8, 8, 33, dtype=torch.float64)
        for gamma, at in itertools.product((0.5, 2.0), z):
            wanted = broken.from_log_sigmoid(at, gamma)
            for form in (broken.from_probability, broken.clamped, broken.times_bce):
                torch.testing.assert_close(form(at, gamma), wanted)

    @pytest.mark.parametrize("gamma", [0.2, 0.5, 0.9])
    @pytest.mark.parametrize("logit", [20.0, 40.0, 200.0])
    def test_a_fractional_gamma_on_one_minus_sigmoid_gives_nan_where_it_is_zero(self, gamma, logit):
        for dtype in (torch.float32, torch.float64):
            z = torch.tensor(logit, dtype=dtype, requires_grad=True)
            is_zero = (1 - z.sigmoid()).item() == 0
            (gradient,) = torch.autograd.grad(broken.times_bce(z, gamma), z)
            assert gradient.isnan() == is_zero
        z = torch.tensor(logit, requires_grad=True)
        assert torch.autograd.grad(broken.times_bce(z, 2.0), z)[0].isfinite()
        assert torch.autograd.grad(broken.from_log_sigmoid(z, gamma), z)[0].isfinite()

    @pytest.mark.parametrize("logit", [-17.0, -50.0, -1000.0])
    def test_a_clamped_probability_gives_a_confident_mistake_no_gradient(self, logit):
        z = torch.tensor(logit, requires_grad=True)
        assert torch.autograd.grad(broken.clamped(z, 2.0), z)[0] == 0
        assert torch.autograd.grad(broken.from_log_sigmoid(z, 2.0), z)[0] < -0.99

    @pytest.mark.parametrize("alpha", [0.1, 0.25, 0.75])
    def test_alpha_t_weights_positives_by_alpha_over_one_minus_alpha(self, alpha):
        for logit in (-1.0, 0.0, 2.0):
            z = torch.tensor([logit, -logit])
            loss = losses.focal_loss(z, torch.tensor([True, False]), alpha=alpha, reduction="none")
            torch.testing.assert_close(loss[0] / loss[1], torch.tensor(alpha / (1 - alpha)))

    def test_gamma_above_0_makes_hard_examples_steeper_than_cross_entropy(self):
        z = torch.tensor([-3.0, 3.0], requires_grad=True)
        positive = torch.tensor([True, True])
        slopes = {}
        for gamma in (0, 2, 5):
            loss = losses.focal_loss(z, positive, gamma, None, "sum")
            slopes[gamma] = -torch.autograd.grad(loss, z)[0]
        assert slopes[5][0] > slopes[2][0] > 1 > slopes[0][0]
        assert slopes[5][1] < slopes[2][1] < slopes[0][1]

    def test_the_sum_multiplies_the_step_of_sgd_by_the_batch_and_leaves_that_of_adam(self):
        for make, ratio in ((torch.optim.SGD, 64), (torch.optim.Adam, 1), (torch.optim.AdamW, 1)):
            found = [reduction.step_length(make, mode) for mode in ("sum", "mean")]
            assert found[0] / found[1] == pytest.approx(ratio, rel=1e-2)

    def test_decay_inside_adam_depends_on_the_reduction_and_decoupled_decay_hardly(self):
        torch.manual_seed(0)
        x = torch.randn(64, 4)
        y = x.sum(dim=1, keepdim=True)
        moved = {}
        for make in (torch.optim.Adam, torch.optim.AdamW):
            norms = []
            for mode in ("sum", "mean"):
                w = torch.zeros(4, 1, requires_grad=True)
                optimizer = make([w], lr=0.1, weight_decay=1.0)
                for _ in range(60):
                    optimizer.zero_grad()
                    F.mse_loss(x @ w, y, reduction=mode).backward()
                    optimizer.step()
                norms.append(w.norm().item())
            moved[make] = norms[0] / norms[1]
        assert moved[torch.optim.Adam] > 1.2
        assert moved[torch.optim.AdamW] == pytest.approx(1, abs=0.1)

    @pytest.mark.parametrize("rate", [0.01, 0.1, 0.3, 0.7, 0.9])
    def test_the_best_prediction_is_the_true_rate_only_without_gamma_and_the_order_stays(self, rate):
        z = torch.linspace(-8, 8, 16_001, dtype=torch.float64)
        positive, negative = torch.ones_like(z, dtype=torch.bool), torch.zeros_like(z, dtype=torch.bool)

        def best(rate, gamma):
            one = losses.focal_loss(z, positive, gamma, None, "none")
            zero = losses.focal_loss(z, negative, gamma, None, "none")
            return z[(rate * one + (1 - rate) * zero).argmin()].sigmoid().item()

        assert best(rate, 0) == pytest.approx(rate, abs=1e-3)
        assert abs(best(rate, 2) - 0.5) < abs(rate - 0.5) - 0.05
        assert best(rate, 2) < best(rate + 0.05, 2)
        assert best(0.5, 2) == pytest.approx(0.5, abs=1e-3)

    @pytest.mark.parametrize("gamma", [0.0, 0.5, 2.0])
    @pytest.mark.parametrize(("alpha", "side"), [(0.25, -1), (0.5, 0), (0.75, 1)])
    def test_alpha_moves_the_best_prediction_also_without_gamma_and_the_order_stays(self, gamma, alpha, side):
        z = torch.linspace(-8, 8, 16_001, dtype=torch.float64)
        one = losses.focal_loss(z, torch.ones_like(z, dtype=torch.bool), gamma, alpha, "none")
        zero = losses.focal_loss(z, torch.zeros_like(z, dtype=torch.bool), gamma, alpha, "none")
        rates = (0.3, 0.5, 0.7)
        low, half, high = (z[(r * one + (1 - r) * zero).argmin()].sigmoid().item() for r in rates)
        assert low < half < high
        assert half == pytest.approx(0.5, abs=1e-3) if side == 0 else (half - 0.5) * side > 0.09
        if gamma == 0:
            assert half == pytest.approx(alpha, abs=1e-3)

    @pytest.mark.parametrize("batch_size", [16, 64])
    def test_the_gradient_of_the_sum_grows_with_the_batch_so_a_threshold_for_the_mean_clips_it(self, batch_size):
        torch.manual_seed(0)
        w = torch.zeros(4, 1, requires_grad=True)
        x = torch.randn(batch_size, 4)
        y = x.sum(dim=1, keepdim=True)
        norms = {m: torch.autograd.grad(F.mse_loss(x @ w, y, reduction=m), w)[0].norm() for m in ("mean", "sum")}
        torch.testing.assert_close(norms["sum"], batch_size * norms["mean"])

    @pytest.mark.parametrize(("samples", "width"), [(3, 5), (8, 2)])
    def test_the_mean_over_elements_is_the_width_times_smaller_than_the_mean_over_samples(self, samples, width):
        z = torch.randn(samples, width).square()
        torch.testing.assert_close(width * z.mean(), z.sum(dim=1).mean())

    @pytest.mark.parametrize("classes", [2, 4, 50])
    @pytest.mark.parametrize("gamma", [0.0, 0.5, 1.0, 2.0])
    def test_the_form_for_many_classes_is_finite_at_huge_logits(self, classes, gamma):
        z = torch.zeros(2, classes)
        z[:, 0] = torch.tensor([-1000.0, 1000.0])
        z.requires_grad_()
        own = torch.zeros(2, classes, dtype=torch.bool)
        own[:, 0] = True
        logit = z[own] - z.masked_fill(own, -torch.inf).logsumexp(dim=1)
        ((gamma * F.logsigmoid(-logit)).exp() * -F.logsigmoid(logit)).sum().backward()
        assert z.grad[0, 0] == pytest.approx(-1, abs=1e-3)
        assert bool(z.grad[1].isfinite().all())

    @pytest.mark.parametrize("gap", [17.0, 20.0])
    def test_a_log_softmax_has_rounded_the_rest_away_and_expm1_does_not_bring_it_back(self, gap):
        log_p = F.log_softmax(torch.tensor([gap, 0.0]), dim=0)
        assert -torch.expm1(log_p[0]) == 0
