"""Every claim of docs/mid/post-training/distillation.md, proven beyond the example shown."""

import pytest
import torch
import torch.nn.functional as F

from warmup.testing import load_snippet

page = load_snippet("mid/post-training/distillation.py")
pytestmark = pytest.mark.usefixtures("one_thread")


def gradient(T, scale=1.0, reverse=False):
    torch.manual_seed(0)
    s, t = torch.randn(2, 16, 10).double() * scale
    s.requires_grad_()
    log_q, log_p = F.log_softmax(s / T, 1), F.log_softmax(t / T, 1)
    pair = (log_p, log_q) if reverse else (log_q, log_p)
    loss = F.kl_div(*pair, reduction="batchmean", log_target=True)
    return torch.autograd.grad(loss, s)[0], log_q.exp().detach(), log_p.exp()


class TestDistillation:
    def test_a_student_recognizes_an_unseen_digit_from_soft_targets(self):
        shares = dict(page.students(8, (1, 8), seed=1))
        assert shares["labels"] < 0.05 and shares["T = 1"] < 0.2 and shares["T = 8"] > 0.5

    def test_smoothed_labels_do_not_teach_an_unseen_digit(self):
        seen = page.train[page.y[page.train] != 3]
        model = page.fit(32, page.X[seen], lambda z: F.cross_entropy(z, page.y[seen], label_smoothing=0.1))
        assert page.accuracy_on(3, model) < 0.05

    def test_at_temperature_1_five_times_the_steps_teach_it_too(self):
        x, y = page.X[page.train], page.y[page.train]
        teacher = page.fit(64, x, lambda z: F.cross_entropy(z, y))
        targets = teacher(x[y != 3])
        student = page.fit(32, x[y != 3], lambda z: page.soft(z, targets, 1), steps=750)
        assert page.accuracy_on(3, student) > 0.55

    @pytest.mark.parametrize("T", [1.0, 3.0, 10.0])
    def test_the_gradient_is_the_difference_over_t(self, T):
        slope, q, p = gradient(T)
        torch.testing.assert_close(slope, (q - p) / T / 16)

    @pytest.mark.parametrize("reverse", [False, True])
    def test_t_squared_restores_the_size_for_large_t(self, reverse):
        sizes = [gradient(T, reverse=reverse)[0].norm() * T**2 for T in (10, 20, 40)]
        assert max(sizes) / min(sizes) < 1.1

    def test_t_squared_does_not_restore_it_for_large_logits(self):
        one, two = (gradient(T, scale=30)[0].norm() * T**2 for T in (1, 2))
        assert two / one > 1.5

    def test_cross_entropy_has_the_forward_gradient(self):
        torch.manual_seed(0)
        s, t = torch.randn(2, 4, 5).double()
        s.requires_grad_()
        (a,) = torch.autograd.grad(F.cross_entropy(s, t.softmax(1)), s)
        (b,) = torch.autograd.grad(page.soft(s, t, 1), s)
        torch.testing.assert_close(a, b)
        log_q = s.log_softmax(1)
        (c,) = torch.autograd.grad((log_q.exp() * (log_q - t.log_softmax(1))).sum(), s)
        (d,) = torch.autograd.grad(-(s.softmax(1) * t.log_softmax(1)).sum(), s)
        assert not torch.allclose(c, d, atol=1e-3)

    def test_a_shift_per_row_changes_nothing(self):
        torch.manual_seed(0)
        s, t = torch.randn(2, 4, 5).double()
        torch.testing.assert_close(page.soft(s, t + torch.randn(4, 1), 4), page.soft(s, t, 4))

    def test_arguments_in_the_other_order_give_the_reverse_or_nan(self):
        torch.manual_seed(0)
        s, t = torch.randn(2, 4, 5).log_softmax(-1)
        swapped = F.kl_div(t, s, reduction="batchmean", log_target=True)
        torch.testing.assert_close(swapped, (s.exp() * (s - t)).sum(1).mean())
        assert F.kl_div(t.exp(), s, reduction="batchmean").isnan()

    @pytest.mark.parametrize("peak", [1.5, 2.0])
    def test_reverse_covers_peaks_that_overlap(self, peak):
        x = torch.arange(-12, 13).double()
        p = torch.logaddexp(-((x - peak) ** 2) / 4, -((x + peak) ** 2) / 4 - 0.3).softmax(0)
        means = torch.linspace(-8, 8, 33).double()[:, None, None]
        widths = torch.linspace(0.5, 8, 31).double()[None, :, None]
        log_q = (-((x - means) ** 2) / (2 * widths**2)).log_softmax(-1).flatten(0, 1)
        best = log_q.exp()[(log_q.exp() * (log_q - p.log())).sum(-1).argmin()]
        assert best[x < 0].sum() > 0.3 and best[x > 0].sum() > 0.3

    def test_equal_models_have_no_divergence_in_either_direction(self):
        t = torch.randn(4, 5).double()
        assert page.soft(t, t, 3).abs() < 1e-12

    @pytest.mark.parametrize("peak", [4.0, 6.0])
    def test_forward_covers_and_reverse_seeks(self, peak):
        x = torch.arange(-12, 13).double()
        p = torch.logaddexp(-((x - peak) ** 2) / 4, -((x + peak) ** 2) / 4 - 0.3).softmax(0)
        means = torch.linspace(-8, 8, 33).double()[:, None, None]
        widths = torch.linspace(0.5, 8, 31).double()[None, :, None]
        log_q = (-((x - means) ** 2) / (2 * widths**2)).log_softmax(-1)
        q = log_q.exp()
        forward = q.flatten(0, 1)[(p * (p.log() - log_q)).sum(-1).argmin()]
        reverse = q.flatten(0, 1)[(q * (log_q - p.log())).sum(-1).argmin()]
        never = p < 1e-3
        assert forward[never].sum() > 0.02 > 0.01 > reverse[never].sum()
        assert forward[x < 0].sum() > 0.2 and reverse[x < 0].sum() < 0.01
