"""What docs/mid/optimization/adam-bias-correction.md claims, proven beyond the example shown."""

import pytest
import torch

from warmup.testing import load_snippet

correction = load_snippet("mid/optimization/adam_bias_correction_factor.py")
correction_tuned = load_snippet("mid/optimization/adam_bias_correction_tuned.py")
resume = load_snippet("mid/optimization/adam_bias_correction_resume_broken.py")


def streams(steps: int = 100, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Gradients for a parameter of shape (3, 4) over some steps."""
    return torch.randn(steps, 3, 4, dtype=dtype, generator=torch.Generator().manual_seed(1))


def uncorrected(gradients: torch.Tensor, lr: float, beta1: float, beta2: float) -> torch.Tensor:
    """Where Adam without correction and without eps takes weights from zero."""
    w, m, v = (torch.zeros_like(gradients[0]) for _ in range(3))
    for gradient in gradients:
        m, v = beta1 * m + (1 - beta1) * gradient, beta2 * v + (1 - beta2) * gradient**2
        w = w - lr * m / v.sqrt()
    return w


class TestAdamBiasCorrection:
    @pytest.mark.parametrize("betas", [(0.9, 0.999), (0.9, 0.95), (0.5, 0.5), (0.0, 0.99)])
    def test_no_correction_is_a_schedule_on_the_library(self, betas):
        gradients = streams(dtype=torch.float64)
        w = torch.zeros(3, 4, dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.Adam([w], betas=betas, eps=0.0)
        for factor, gradient in zip(correction.excess(100, *betas), gradients, strict=True):
            optimizer.param_groups[0]["lr"] = 0.03 * factor.item()
            w.grad = gradient.clone()
            optimizer.step()
        torch.testing.assert_close(w.detach(), uncorrected(gradients, 0.03, *betas), rtol=1e-9, atol=1e-12)

    def test_the_sign_of_the_error_depends_on_the_betas(self):
        default = correction.excess(5000)
        assert default[0].item() == pytest.approx(3.162, abs=1e-3)
        assert int(default.argmax()) + 1 == 12
        assert default.max().item() == pytest.approx(6.57, abs=0.01)
        assert (default[:1000] > 1.2).all()
        assert default[-1].item() == pytest.approx(1, abs=0.005)
        assert correction.excess(1, beta2=0.99).item() == pytest.approx(1)
        short = correction.excess(1000, beta2=0.95)  # as for many language models
        assert short[0].item() == pytest.approx(0.45, abs=0.005) and (short[:8] < 1).all() and (short[8:200] > 1).all()
        assert short.max() < 1.1
        for beta in (0.9, 0.99, 0.999):
            assert (correction.excess(10, beta1=beta, beta2=beta) < 1).all()

    @pytest.mark.parametrize("beta", [0.9, 0.99])
    def test_dividing_by_the_sum_of_the_weights_makes_a_mean_unbiased(self, beta):
        draws = 2 + torch.randn(20, 20000, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
        mean = torch.zeros(20000, dtype=torch.float64)
        for draw in draws:
            mean = beta * mean + (1 - beta) * draw
        assert mean.mean().item() == pytest.approx(2 * (1 - beta**20), rel=0.02)
        assert (mean / (1 - beta**20)).mean().item() == pytest.approx(2, rel=0.02)

    @pytest.mark.parametrize("before", [200, 1500])
    def test_a_resume_needs_the_counter_or_none_of_the_state(self, before):
        def steps_after(forget) -> list[float]:
            with torch.no_grad():
                resume.w.zero_()
            resume.optimizer.state.clear()
            for _ in range(before):
                resume.step()
            forget(resume.optimizer.state)
            moves = [resume.step() for _ in range(100)]
            return [moves[0], moves[11], moves[99]]

        assert steps_after(lambda state: None) == pytest.approx([1, 1, 1], rel=0.01)
        assert steps_after(lambda state: state.clear()) == pytest.approx([1, 1, 1], rel=0.01)
        lost = steps_after(lambda state: state[resume.w]["step"].zero_())
        filled = (1 - 0.999**before) ** 0.5  # how much of the mean of squares was there
        for move, factor in zip(lost, (3.16, 6.57, 3.24), strict=True):
            assert 0.95 / factor < move < 1.05 / factor / filled
        assert max(lost) < 1

    @pytest.mark.parametrize("alpha", [0.9, 0.99])
    def test_rmsprop_has_no_correction(self, alpha):
        w = torch.zeros(2, requires_grad=True)
        optimizer = torch.optim.RMSprop([w], lr=0.01, alpha=alpha)
        w.grad = torch.tensor([1000.0, 0.1])
        optimizer.step()
        assert w.tolist() == pytest.approx([-0.01 / (1 - alpha) ** 0.5] * 2, rel=1e-4)

    def test_without_the_correction_a_smaller_rate_is_right(self):
        rates = [0.0003, 0.003, 0.03]
        found = {c: correction_tuned.held_out_losses(rates, 2, c, 0.999, 40) for c in (True, False)}
        assert (found[True][0] > found[False][0]).all()
        assert (found[True][2] < found[False][2]).all()

    @pytest.mark.parametrize(("before", "first"), [(5, 1.92), (30, 1.74), (100, 1.02), (200, 0.74)])
    def test_a_counter_lost_in_the_first_hundred_steps_makes_the_first_resumed_steps_too_long(self, before, first):
        resume.optimizer.state.clear()
        for _ in range(before):
            resume.step()
        resume.optimizer.state[resume.w]["step"].zero_()
        assert resume.step() == pytest.approx(first, abs=0.01)

    @pytest.mark.parametrize("decay", [0.0, 0.1])
    def test_with_decoupled_decay_a_schedule_is_not_the_missing_correction(self, decay):
        gradients, lr = streams(50, torch.float64), 0.03
        w = torch.ones(3, 4, dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.AdamW([w], weight_decay=decay, eps=0.0)
        expected, m, v = torch.ones(3, 4, dtype=torch.float64), 0.0, 0.0
        for factor, gradient in zip(correction.excess(50, 0.9, 0.999), gradients, strict=True):
            optimizer.param_groups[0]["lr"] = lr * factor.item()
            w.grad = gradient.clone()
            optimizer.step()
            m, v = 0.9 * m + 0.1 * gradient, 0.999 * v + 0.001 * gradient**2
            expected = expected * (1 - lr * decay) - lr * m / v.sqrt()
        assert torch.allclose(w.detach(), expected, rtol=1e-9) is (decay == 0)

    @pytest.mark.parametrize("outlier", [10.0, 0.1])
    def test_a_mean_that_starts_at_the_first_square_keeps_it_for_a_thousand_steps(self, outlier):
        squares = torch.ones(1000, dtype=torch.float64)
        squares[0] = outlier**2
        started, zero = squares[0], torch.zeros((), dtype=torch.float64)
        for t, square in enumerate(squares):
            started = 0.999 * started + 0.001 * square if t else square
            zero = 0.999 * zero + 0.001 * square
        corrected = zero / (1 - 0.999**1000)
        shares = [((mean - 1) / (squares[0] - 1)).item() for mean in (started, corrected)]
        assert shares[0] == pytest.approx(0.37, abs=0.005) and shares[1] < 0.001
