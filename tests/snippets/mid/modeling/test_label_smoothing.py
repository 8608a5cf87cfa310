"""Every claim that docs/mid/modeling/label-smoothing.md makes, proven beyond the example shown."""

import math

import pytest
import torch
from torch.nn import functional as F

from warmup.testing import load_snippet

gap = load_snippet("mid/modeling/label_smoothing_gap.py")
calibration = load_snippet("mid/modeling/label_smoothing_calibration.py")


def even(label, classes, eps):
    return (1 - eps) * F.one_hot(label, classes).double() + eps / classes


def others(label, classes, eps):
    one_hot = F.one_hot(label, classes).double()
    return (1 - eps) * one_hot + eps / (classes - 1) * (1 - one_hot)


class TestLabelSmoothing:
    @pytest.mark.parametrize("classes", [2, 5, 100])
    @pytest.mark.parametrize("eps", [0.0, 0.1, 0.5, 1.0])
    @pytest.mark.parametrize("rows", [1, 6])
    def test_torch_spreads_eps_over_all_classes_and_the_gradient_is_p_minus_q(self, classes, eps, rows):
        logits = torch.randn(rows, classes, dtype=torch.float64, requires_grad=True)
        labels = torch.randint(0, classes, (rows,))
        q = even(labels, classes, eps)
        loss = F.cross_entropy(logits, labels, label_smoothing=eps, reduction="sum")
        torch.testing.assert_close(loss, -(q * logits.log_softmax(1)).sum())
        torch.testing.assert_close(torch.autograd.grad(loss, logits)[0], logits.softmax(1) - q)
        torch.testing.assert_close(q.sum(1), torch.ones(rows, dtype=torch.float64))

    @pytest.mark.parametrize("classes", [2, 5, 1000])
    def test_the_two_targets_are_one_with_another_eps(self, classes):
        label = torch.tensor([1])
        torch.testing.assert_close(others(label, classes, 0.1 * (classes - 1) / classes), even(label, classes, 0.1))
        assert even(label, 2, 0.1)[0, 1] == pytest.approx(0.95)
        assert others(label, 2, 0.1)[0, 1] == pytest.approx(0.9)

    @pytest.mark.parametrize(("classes", "eps"), [(2, 0.1), (5, 0.1), (5, 0.4), (20, 0.3)])
    def test_gradient_descent_reaches_the_gap_that_the_formula_gives(self, classes, eps):
        label = torch.tensor(0)
        formulas = {
            even: math.log(classes * (1 - eps) / eps + 1),
            others: math.log((1 - eps) * (classes - 1) / eps),
        }
        for target, best in formulas.items():
            q = target(label, classes, eps)
            assert gap.gaps(q, [2000])[-1] == pytest.approx(best, abs=1e-3)
            at_best = q.log().requires_grad_()
            loss = F.cross_entropy(at_best[None], q[None])
            assert torch.autograd.grad(loss, at_best)[0].abs().max() < 1e-12
            assert loss.item() == pytest.approx(-(q * q.log()).sum().item())

    def test_the_one_hot_gap_keeps_growing(self):
        found = gap.gaps(F.one_hot(torch.tensor(0), 5).double(), [100, 1000, 2000])
        assert found[0] + 1 < found[1] < found[2]

    @pytest.mark.parametrize(("lr", "stop"), [(1.0, 16), (10.0, 18)])
    def test_in_float32_the_one_hot_descent_stops_at_a_gap_that_depends_on_the_rate(self, lr, stop):
        target = F.one_hot(torch.tensor(0), 5).float()
        for difference, moves in ((stop - 0.6, True), (stop + 0.6, False)):
            z = difference * (target - 0.2)  # the right logit gets four fifths of the gap
            step = lr * (z.softmax(dim=0) - target)
            assert step.any()
            assert torch.equal(z - step, z) != moves
            assert not torch.equal(z.double() - step, z.double())

    @pytest.mark.parametrize("beyond", [0.5, 3.0])
    def test_beyond_the_best_gap_the_right_logit_is_pushed_down(self, beyond):
        best = math.log(5 * 0.9 / 0.1 + 1)
        for difference, sign in ((best + beyond, 1), (best - beyond, -1)):
            z = torch.tensor([[difference, 0, 0, 0, 0]], dtype=torch.float64, requires_grad=True)
            F.cross_entropy(z, torch.tensor([0]), label_smoothing=0.1).backward()
            assert z.grad[0, 0].sign() == sign

    def test_beyond_the_gap_to_one_wrong_class_another_may_still_ask_for_more(self):
        best = math.log(5 * 0.9 / 0.1 + 1)
        z = torch.tensor([[best + 0.5, 0, best, 0, 0]], dtype=torch.float64, requires_grad=True)
        F.cross_entropy(z, torch.tensor([0]), label_smoothing=0.1).backward()
        assert z.grad[0, 0] < 0

    def test_a_probability_of_zero_on_a_masked_class_is_nan(self):
        z = torch.tensor([[1.0, 0.0, -torch.inf]])
        assert F.cross_entropy(z, torch.tensor([[0.9, 0.1, 0.0]])).isnan()
        assert F.cross_entropy(z[:, :2], torch.tensor([[0.9, 0.1]])).isfinite()

    @pytest.mark.parametrize("eps", [1e-3, 0.1])
    def test_a_masked_class_makes_the_smoothed_loss_infinite(self, eps):
        z = torch.randn(3, 4)
        z[:, 3] = -torch.inf
        labels = torch.tensor([0, 1, 2])
        assert F.cross_entropy(z, labels).isfinite()
        assert F.cross_entropy(z, labels, label_smoothing=eps).isinf()
        assert F.cross_entropy(z[:, :3], labels, label_smoothing=eps).isfinite()

    def test_in_expectation_it_is_a_label_replaced_at_the_rate_eps(self):
        z = torch.randn(1, 4, dtype=torch.float64)
        losses = torch.stack([F.cross_entropy(z, torch.tensor([c])) for c in range(4)])
        expected = 0.7 * losses[2] + 0.3 * losses.mean()
        torch.testing.assert_close(F.cross_entropy(z, torch.tensor([2]), label_smoothing=0.3), expected)

    @pytest.mark.parametrize("classes", [2, 3, 10])
    def test_the_right_class_keeps_the_largest_target_up_to_a_bound(self, classes):
        label = torch.tensor(1)
        for eps in (0.1, 0.5, 0.99):
            assert even(label, classes, eps).argmax() == 1
        bound = (classes - 1) / classes
        assert others(label, classes, bound - 0.01).argmax() == 1
        assert others(label, classes, bound + 0.009).argmax() != 1

    def test_ignored_rows_are_left_out_of_loss_and_mean(self):
        z, labels = torch.randn(5, 3), torch.tensor([0, -100, 2, -100, 1])
        kept = labels >= 0
        torch.testing.assert_close(
            F.cross_entropy(z, labels, label_smoothing=0.2),
            F.cross_entropy(z[kept], labels[kept], label_smoothing=0.2),
        )

    def test_moved_targets_smooth_binary_cross_entropy_as_two_classes_do(self):
        z, y = torch.randn(7, dtype=torch.float64, requires_grad=True), torch.randint(0, 2, (7,))
        moved = y.double() * 0.8 + 0.2 / 2
        binary = F.binary_cross_entropy_with_logits(z, moved)
        two = torch.stack([torch.zeros_like(z), z], dim=1)
        torch.testing.assert_close(binary, F.cross_entropy(two, y, label_smoothing=0.2))
        torch.testing.assert_close(torch.autograd.grad(binary, z)[0], (z.sigmoid() - moved).detach() / 7)

    def test_smoothing_turns_overconfidence_on_clean_digits_into_underconfidence(self):
        plain, smoothed = (calibration.overconfidence(0.0, eps, seeds=2) for eps in (0.0, 0.1))
        assert (plain > 0).all()
        assert (smoothed < -5).all()
        assert smoothed.abs().mean() > plain.abs().mean() + 5
