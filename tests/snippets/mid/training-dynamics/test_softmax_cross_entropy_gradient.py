"""What docs/mid/training-dynamics/softmax-cross-entropy-gradient.md claims, proven beyond the example shown."""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from warmup.testing import load_snippet

smallest = load_snippet("mid/training-dynamics/softmax_cross_entropy_gradient.py")
gradient = load_snippet("mid/training-dynamics/softmax_cross_entropy_gradient_zero.py")
broken = load_snippet("mid/training-dynamics/softmax_cross_entropy_gradient_broken.py")
saturation = load_snippet("mid/training-dynamics/softmax_cross_entropy_gradient_saturation.py")
myth = load_snippet("mid/training-dynamics/softmax_cross_entropy_gradient_myth.py")

EPS = torch.finfo(torch.float64).eps


def double(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


class TestSoftmaxCrossEntropyGradient:
    @pytest.mark.parametrize(("n", "k"), [(1, 2), (7, 3), (32, 100)])
    @pytest.mark.parametrize("scale", [0.1, 10.0])
    def test_p_minus_y_is_the_gradient_to_machine_precision(self, n, k, scale):
        logits = scale * torch.randn(n, k, dtype=torch.float64)
        one_hot = F.one_hot(torch.randint(k, (n,)), k).double()
        for targets in (one_hot, torch.softmax(torch.randn(n, k, dtype=torch.float64), dim=1)):
            by_hand = gradient.cross_entropy_gradient(logits, targets)
            assert (by_hand - gradient.autograd_gradient(logits, targets)).abs().max() < 4 * EPS
            at = logits.clone().requires_grad_()
            written_out = -(targets * torch.log(at.exp() / at.exp().sum(dim=1, keepdim=True))).sum(dim=1).mean()
            torch.testing.assert_close(torch.autograd.grad(written_out, at)[0], by_hand)

    def test_components_add_up_to_zero_and_lie_between_minus_one_and_one(self):
        logits = 30 * torch.randn(50, 6, dtype=torch.float64)
        found = 50 * gradient.cross_entropy_gradient(logits, F.one_hot(torch.arange(50) % 6, 6).double())
        assert found.sum(dim=1).abs().max() < 1e-14
        assert found.abs().max() <= 1

    @pytest.mark.parametrize("gap", [20.0, 35.0, 80.0])
    def test_in_float32_the_right_class_gets_exactly_nothing_before_the_wrong_one_does(self, gap):
        right, wrong = gradient.autograd_gradient(torch.tensor([[gap, 0.0]]), torch.tensor([[1.0, 0.0]]))[0].tolist()
        assert right == 0 < wrong
        right, wrong = gradient.autograd_gradient(double(gap, 0)[None], double(1, 0)[None])[0].tolist()
        assert right < 0 < wrong or gap > 37

    @pytest.mark.parametrize("gap", [110.0, 1000.0])
    def test_in_float32_the_whole_gradient_becomes_exactly_zero(self, gap):
        assert not gradient.autograd_gradient(torch.tensor([[gap, 0.0]]), torch.tensor([[1.0, 0.0]])).any()

    @pytest.mark.parametrize("gap", [-20.0, -110.0, -1000.0])
    def test_a_confident_mistake_has_a_gradient_of_one(self, gap):
        found = gradient.autograd_gradient(torch.tensor([[gap, 0.0]]), torch.tensor([[1.0, 0.0]]))
        assert found.tolist() == [[-1.0, 1.0]]

    def test_soft_targets_have_a_zero_at_the_logarithm_of_the_target(self):
        targets = torch.softmax(torch.randn(4, 5, dtype=torch.float64), dim=1)
        assert gradient.autograd_gradient(targets.log() + 3, targets).abs().max() < EPS
        assert not gradient.autograd_gradient(torch.zeros(1, 2), torch.full((1, 2), 0.5)).any()

    def test_contradicting_labels_cancel_in_the_weights_and_not_in_the_logits(self):
        model = nn.Linear(3, 2)
        nn.init.zeros_(model.weight)
        nn.init.zeros_(model.bias)
        logits = model(torch.ones(2, 3))
        logits.retain_grad()
        F.cross_entropy(logits, torch.tensor([0, 1]), reduction="sum").backward()
        assert logits.grad.abs().unique().tolist() == [0.5]
        assert not model.weight.grad.any()

    @pytest.mark.parametrize("logit", [-20.0, -3.0, 0.0, 4.0])
    def test_squared_error_has_the_slope_of_the_sigmoid_as_a_factor_and_cross_entropy_has_not(self, logit):
        p = 1 / (1 + math.exp(-logit))
        expected = 2 * (p - 1) * p * (1 - p)
        assert saturation.gradient(saturation.squared_error, logit) == pytest.approx(expected, rel=1e-4)
        assert saturation.gradient(saturation.cross_entropy, logit) == pytest.approx(p - 1, rel=1e-4)

    def test_squared_error_does_not_leave_a_confident_mistake_and_cross_entropy_does(self):
        assert saturation.descend(saturation.squared_error, -12.0, 50) == pytest.approx(-12, abs=0.01)
        assert saturation.descend(saturation.cross_entropy, -12.0, 50) > 2
        assert saturation.descend(saturation.cross_entropy, -12.0, 1, lr=3.0) == pytest.approx(-9, abs=1e-3)

    @pytest.mark.parametrize("scale", [1.0, 50.0, 1e4])
    def test_log_sum_exp_is_the_built_in_one(self, scale):
        logits = scale * torch.randn(3, 4, 5)
        torch.testing.assert_close(broken.log_sum_exp(logits), torch.logsumexp(logits, dim=-1))
        assert broken.log_sum_exp(torch.tensor([-torch.inf, 2.0])) == 2

    @pytest.mark.parametrize("values", [(0.5, -1.0, 2.0), (90.0, 0.0), (500.0, -500.0), (-300.0, -300.0)])
    @pytest.mark.parametrize("target", [0, 1])
    def test_the_stable_loss_is_the_built_in_one_with_its_gradient(self, values, target):
        logits = torch.tensor(values, requires_grad=True)
        losses = [f(logits, target) for f in (broken.stable, broken.built_in)]
        torch.testing.assert_close(*losses)
        torch.testing.assert_close(*(torch.autograd.grad(loss, logits)[0] for loss in losses))

    def test_all_four_agree_on_harmless_logits(self):
        logits = torch.tensor([0.3, -0.4, 1.1], requires_grad=True)
        for loss_function in (broken.naive, broken.log_of_softmax, broken.stable):
            for target in range(3):
                loss, reference = loss_function(logits, target), broken.built_in(logits, target)
                torch.testing.assert_close(loss, reference)
                found, expected = (torch.autograd.grad(value, logits)[0] for value in (loss, reference))
                torch.testing.assert_close(found, expected)

    def test_log_of_softmax_can_be_right_where_its_gradient_is_not_a_number(self):
        logits = torch.tensor([90.0, 0.0], requires_grad=True)
        loss = broken.log_of_softmax(logits, 1)
        assert loss.item() == pytest.approx(90, abs=1e-3)
        assert not torch.autograd.grad(loss, logits)[0].isfinite().any()

    @pytest.mark.parametrize("values", [(120.0, 0.0), (-200.0, -200.0)])
    def test_the_naive_loss_overflows_and_underflows(self, values):
        logits = torch.tensor(values, requires_grad=True)
        loss = broken.naive(logits, 1)
        assert not loss.isfinite()
        assert torch.autograd.grad(loss, logits)[0].isnan().all()

    def test_with_label_smoothing_descent_stops_at_the_logarithm_of_the_ratio(self):
        targets = double(0.8, 0.15, 0.05)
        logits, left = myth.descend(targets, 3000)
        assert left.abs().max() < 1e-14
        assert (logits[0] - logits[1]).item() == pytest.approx(math.log(0.8 / 0.15))
        smoothed = F.cross_entropy(logits[None], torch.tensor([0]), label_smoothing=0.1)
        by_hand = F.cross_entropy(logits[None], (0.9 * double(1, 0, 0) + 0.1 / 3)[None])
        torch.testing.assert_close(smoothed, by_hand)

    def test_with_a_one_hot_target_the_gap_grows_with_the_logarithm_of_the_steps(self):
        gaps = []
        for steps in (100, 1000, 10000):
            logits, left = myth.descend(double(1, 0, 0), steps)
            assert left.abs().max() > 1e-6
            gaps.append((logits[0] - logits[1]).item())
        assert gaps[1] - gaps[0] == pytest.approx(math.log(10), rel=0.05)
        assert gaps[2] - gaps[1] == pytest.approx(math.log(10), rel=0.05)

    def test_the_hessian_is_diag_p_minus_p_p_and_does_not_contain_the_target(self):
        logits = torch.randn(4, dtype=torch.float64)
        p = torch.softmax(logits, dim=0)
        expected = torch.diag(p) - torch.outer(p, p)
        for target in range(4):
            found = torch.autograd.functional.hessian(lambda z, t=target: F.cross_entropy(z, torch.tensor(t)), logits)
            torch.testing.assert_close(found, expected)
        assert torch.linalg.eigvalsh(expected).min() > -1e-12
        assert (expected @ torch.ones(4, dtype=torch.float64)).abs().max() < 1e-12

    @pytest.mark.parametrize(
        ("logits", "target", "zeros"),
        [
            ([3.0, 3.0], [0.5, 0.5], 2),
            ([-2.0, -2.0, -2.0, -2.0], [0.25] * 4, 4),
            ([0.0, 300.0], [0.0, 1.0], 2),
            ([30.0, 0.0], [1.0, 0.0], 1),
            ([5.0, 0.0], [1.0, 0.0], 0),
        ],
    )
    def test_the_first_program_says_where_the_gradient_is_exactly_zero(self, logits, target, zeros):
        said = smallest.gradient(logits, target).split(", ")
        assert len(said) == len(logits) and said.count("exactly 0") == zeros
        p = torch.softmax(double(*logits), dim=0)
        for text, expected in zip(said, p - double(*target), strict=True):
            assert text == "exactly 0" or float(text) == pytest.approx(expected.item(), rel=0.06)

    @pytest.mark.parametrize("temperature", [0.5, 1.0, 4.0])
    def test_a_temperature_divides_the_gradient_and_flattens_p(self, temperature):
        logits = torch.randn(5, dtype=torch.float64, requires_grad=True)
        target = torch.softmax(torch.randn(5, dtype=torch.float64), dim=0)
        p = torch.softmax(logits.detach() / temperature, dim=0)
        (found,) = torch.autograd.grad(F.cross_entropy(logits / temperature, target), logits)
        torch.testing.assert_close(found, (p - target) / temperature)
        flatter = torch.softmax(logits.detach() / (2 * temperature), dim=0)
        assert flatter.max() < p.max() and flatter.min() > p.min()

    @pytest.mark.parametrize("k", [2, 6])
    def test_kl_divergence_has_the_same_gradient_and_differs_by_the_entropy(self, k):
        logits = torch.randn(k, dtype=torch.float64, requires_grad=True)
        target = torch.softmax(torch.randn(k, dtype=torch.float64), dim=0)
        entropy, kl = F.cross_entropy(logits, target), F.kl_div(logits.log_softmax(0), target, reduction="sum")
        torch.testing.assert_close(entropy - kl, -(target * target.log()).sum())
        torch.testing.assert_close(*(torch.autograd.grad(loss, logits)[0] for loss in (entropy, kl)))

    def test_a_one_hot_product_is_nan_where_a_probability_is_zero(self):
        for target in (0, 1):
            p, y = torch.softmax(torch.tensor([120.0, 0.0]), dim=0), F.one_hot(torch.tensor(target), 2)
            assert bool((-(y * p.log()).sum()).isnan()) is (target == 0)
        for scale in (1.0, 1e4, 1e30):
            logits = scale * torch.randn(1000, 5)
            assert not F.cross_entropy(logits, torch.randint(5, (1000,))).isnan()

    @pytest.mark.parametrize("classes", [2, 10])
    def test_a_temperature_shrinks_the_gradient_of_a_mistake_and_can_raise_that_of_a_right_answer(self, classes):
        def largest(temperature, label):
            logits = torch.zeros(1, classes, dtype=torch.float64)
            logits[0, 0] = 10
            logits.requires_grad_()
            loss = F.cross_entropy(logits / temperature, torch.tensor([label]))
            return torch.autograd.grad(loss, logits)[0].abs().max().item()

        mistake, right = ([largest(t, label) for t in (1.0, 2.0, 4.0)] for label in (1, 0))
        assert mistake == sorted(mistake, reverse=True) and right == sorted(right)
        if classes == 2:
            assert right[:2] == pytest.approx([4.5e-5, 3.3e-3], rel=0.02)
        for label, component in ((0, 1 - 1 / classes), (1, 1 - 1 / classes)):
            assert largest(1e4, label) == pytest.approx(component / 1e4, rel=1e-2)

    def test_zero_class_weights_give_nan_with_indices_and_not_with_probabilities(self):
        logits, weight = torch.randn(2, 3), torch.tensor([0.0, 1.0, 1.0])
        assert F.cross_entropy(logits, torch.tensor([0, 0]), weight=weight).isnan()
        assert F.cross_entropy(logits, F.one_hot(torch.tensor([0, 0]), 3).float(), weight=weight) == 0

    @pytest.mark.parametrize(("gap", "whole"), [(100.0, False), (103.0, False), (105.0, True)])
    def test_an_exact_zero_needs_logits_more_than_a_hundred_apart(self, gap, whole):
        found = gradient.autograd_gradient(torch.tensor([[gap, 0.0]]), torch.tensor([[1.0, 0.0]]))
        assert bool((found == 0).all()) is whole

    @pytest.mark.parametrize(("n", "gap"), [(1, 104), (64, 100), (1024, 98)])
    def test_the_mean_over_a_batch_lowers_the_gap_of_the_exact_zero(self, n, gap):
        for logit, zero in ((gap - 2, False), (gap, True)):
            logits, targets = torch.tensor([[float(logit), 0.0]]).repeat(n, 1), torch.tensor([[1.0, 0.0]]).repeat(n, 1)
            assert bool((gradient.autograd_gradient(logits, targets) == 0).all()) is zero

    @pytest.mark.parametrize(("gap", "zero"), [(15.0, False), (16.0, False), (18.0, True), (30.0, True)])
    def test_in_float16_a_gap_of_18_is_enough_unless_the_loss_is_scaled(self, gap, zero):
        for scale, expected in ((1.0, zero), (2.0**20, False)):
            logits = torch.tensor([[gap, 0.0]], dtype=torch.float16, requires_grad=True)
            loss = scale * F.cross_entropy(logits.float(), torch.tensor([0]))
            assert bool((torch.autograd.grad(loss, logits)[0] == 0).all()) is expected

    @pytest.mark.parametrize("targets", [(0.5, 0.5, 0.0), (0.7, 0.3, 0.0, 0.0)])
    def test_a_soft_target_with_a_zero_has_no_zero_of_the_gradient(self, targets):
        left = [myth.descend(double(*targets), steps, lr=2.0)[1].abs().max().item() for steps in (100, 1000, 10000)]
        assert left[0] > left[1] > left[2] > 1e-6
        assert myth.descend(double(0.5, 0.4, 0.1), 10000, lr=2.0)[1].abs().max() < 1e-12

    @pytest.mark.parametrize(("start", "stops"), [(16.0, False), (17.0, True), (18.0, True)])
    def test_descent_in_float32_stops_before_the_gradient_is_zero(self, start, stops):
        for dtype, still in ((torch.float32, stops), (torch.float64, False)):
            logits = torch.tensor([2 * start / 3, -start / 3, -start / 3], dtype=dtype)
            slope = torch.softmax(logits, 0) - torch.tensor([1, 0, 0])
            assert slope.any()
            assert torch.equal(logits - 5 * slope, logits) is still

    def test_class_weights_of_zero_for_all_targets_give_nan(self):
        logits, weights = torch.randn(2, 2), torch.tensor([0.0, 1.0])
        assert F.cross_entropy(logits, torch.tensor([0, 0]), weight=weights).isnan()
        assert F.cross_entropy(logits, torch.tensor([0, 1]), weight=weights).isfinite()

    def test_ignored_labels_and_negative_logits_behind_a_relu_have_no_gradient(self):
        logits = torch.randn(3, 2, requires_grad=True)
        (found,) = torch.autograd.grad(F.cross_entropy(logits, torch.tensor([1, -100, 0])), logits)
        assert found.any(dim=1).tolist() == [True, False, True]
        logits = torch.tensor([[-5.0, -1.0], [5.0, -1.0]], requires_grad=True)
        (found,) = torch.autograd.grad(F.cross_entropy(logits.relu(), torch.tensor([1, 1])), logits)
        assert found.any(dim=1).tolist() == [False, True]

    @pytest.mark.parametrize(("values", "known"), [((torch.inf, 0.0), torch.inf), ((-torch.inf,) * 2, -torch.inf)])
    def test_log_sum_exp_needs_a_finite_largest_logit(self, values, known):
        assert broken.log_sum_exp(torch.tensor(values)).isnan()
        assert torch.logsumexp(torch.tensor(values), dim=0) == known

    def test_a_batch_of_ignored_targets_gives_nan(self):
        assert F.cross_entropy(torch.zeros(2, 3), torch.tensor([-100, -100])).isnan()
        some = F.cross_entropy(torch.zeros(2, 3), torch.tensor([-100, 1]))
        assert some.item() == pytest.approx(math.log(3))

    @pytest.mark.parametrize("weighted", [False, True])
    def test_at_the_last_weights_it_is_the_outer_product_with_the_input(self, weighted):
        generator = torch.Generator().manual_seed(0)
        x, labels = torch.randn(8, 5, dtype=torch.float64, generator=generator), torch.arange(8) % 3
        w = torch.randn(3, 5, dtype=torch.float64, generator=generator, requires_grad=True)
        weights = torch.tensor([1.0, 2.0, 5.0], dtype=torch.float64) if weighted else None
        F.cross_entropy(x @ w.T, labels, weights).backward()
        error = torch.softmax(x @ w.detach().T, dim=1) - F.one_hot(labels, 3)
        of_each = weights[labels] if weighted else torch.ones(8, dtype=torch.float64)
        torch.testing.assert_close(w.grad, (of_each[:, None] * error).T @ x / of_each.sum())

    def test_the_default_mean_of_kl_div_divides_by_the_classes_too(self):
        for k in (3, 7):
            z, y = torch.randn(4, k, requires_grad=True), torch.softmax(torch.randn(4, k), dim=1)
            with pytest.warns(UserWarning, match="batch size and the support size"):
                mean = torch.autograd.grad(F.kl_div(z.log_softmax(1), y, reduction="mean"), z)[0]
            found = mean, torch.autograd.grad(F.kl_div(z.log_softmax(1), y, reduction="batchmean"), z)[0]
            torch.testing.assert_close(found[1], k * found[0])
            torch.testing.assert_close(found[1], torch.autograd.grad(F.cross_entropy(z, y), z)[0])

    def test_a_soft_target_is_reached_up_to_rounding_only(self):
        y = torch.tensor([0.95, 0.05])
        z = y.log().requires_grad_()
        assert torch.equal(torch.softmax(z, 0), y)
        assert 0 < torch.autograd.grad(F.cross_entropy(z, y), z)[0].abs().max() < 1e-8

    @pytest.mark.parametrize("gap", [110.0, 200.0])
    def test_log_of_softmax_of_a_sure_and_right_example_is_0_with_a_nan_gradient(self, gap):
        z = torch.tensor([gap, 0.0], requires_grad=True)
        loss = -torch.log(torch.softmax(z, 0))[0]
        loss.backward()
        assert loss.item() == 0 and z.grad.isnan().all()
