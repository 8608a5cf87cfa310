"""What docs/junior/training-loop/cross-entropy-logits.md claims, proven beyond the example shown."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from warmup.testing import load_snippet

cross_entropy_logits = load_snippet("junior/training-loop/cross_entropy_logits.py")
cross_entropy_logits_hidden = load_snippet("junior/training-loop/cross_entropy_logits_hidden.py")


class TestCrossEntropyLogits:
    def test_the_loss_is_finite_as_long_as_the_difference_fits(self):
        for dtype, most in ((torch.float16, 4e4), (torch.float32, 3e38)):
            logits = torch.tensor([[most, 0.0], [most, -most]], dtype=dtype)
            small, large = F.cross_entropy(logits, torch.tensor([1, 1]), reduction="none")
            assert math.isfinite(small) and large == math.inf

    def test_softmax_keeps_the_order_up_to_rounding(self):
        logits = torch.randn(1000, 10)
        assert torch.equal(logits.argmax(1), logits.softmax(1).argmax(1))
        for logits in (torch.randn(100, 1000), 50 * torch.randn(100, 1000)):
            p = logits.softmax(1).gather(1, logits.argsort(1))
            assert (p.diff(dim=1) >= 0).all()
        logits = torch.tensor([1e-3, 1e-3 + 1e-8])  # not equal in float32
        assert logits[0] < logits[1] and logits.softmax(0).unique().numel() == 1
        p = torch.tensor([120.0, 17.0, 15.0, -5.0]).softmax(0)
        assert p[1] > 0 and p[2] == p[3] == 0

    @pytest.mark.parametrize("smoothing", [0.0, 0.1])
    def test_with_label_smoothing_one_batch_does_not_go_to_zero(self, smoothing):
        logits, label = torch.zeros(8, 5, requires_grad=True), torch.arange(8) % 5
        optimizer = torch.optim.AdamW([logits], lr=0.3)
        for _ in range(200):
            loss = F.cross_entropy(logits, label, label_smoothing=smoothing)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        right, wrong = 1 - smoothing * 4 / 5, smoothing / 5
        least = -right * math.log(right) - (4 * wrong * math.log(wrong) if wrong else 0)
        assert loss.item() == pytest.approx(least, abs=0.01)

    @pytest.mark.parametrize(("largest", "equal"), [(1.0000005, False), (20.0, True), (60.0, True)])
    def test_softmax_merges_close_logits_more_easily_far_below_the_largest(self, largest, equal):
        logits = torch.tensor([largest, 1.0, 1.0000005])
        assert logits[1] < logits[2]
        p = logits.softmax(0)
        assert p[1] > 0 and (p[1] == p[2]).item() is equal

    def test_smoothing_weights_and_ignored_targets(self):
        logits, label = torch.randn(4, 3), torch.tensor([2, 0, 1, 1])
        target = 0.9 * F.one_hot(label, 3) + 0.1 / 3
        torch.testing.assert_close(F.cross_entropy(logits, label, label_smoothing=0.1), F.cross_entropy(logits, target))
        sure = [
            F.cross_entropy(torch.tensor([[z, 0.0, 0.0]]), torch.tensor([0]), label_smoothing=0.1) for z in (4.0, 100.0)
        ]
        assert 0.1 < sure[0] < sure[1]
        rest = F.cross_entropy(logits[1:], label[1:])
        label[0] = -100
        torch.testing.assert_close(F.cross_entropy(logits, label), rest)
        assert F.cross_entropy(logits, torch.full((4,), -100)).isnan()

    @pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.5])
    def test_weight_multiplies_the_term_of_each_class_and_the_mean_divides_by_the_weights_of_the_labels(
        self, smoothing
    ):
        logits, label, weight = torch.randn(6, 3), torch.arange(6) % 3, torch.tensor([1.0, 5.0, 0.5])
        options = {"weight": weight, "label_smoothing": smoothing}
        target = (1 - smoothing) * F.one_hot(label, 3) + smoothing / 3
        expected = -(weight * target * logits.log_softmax(1)).sum(1)
        losses = F.cross_entropy(logits, label, reduction="none", **options)
        torch.testing.assert_close(losses, expected)
        torch.testing.assert_close(F.cross_entropy(logits, label, **options), losses.sum() / weight[label].sum())
        plain = F.cross_entropy(logits, label, reduction="none", label_smoothing=smoothing)
        assert torch.allclose(losses, weight[label] * plain) is (smoothing == 0)

    @pytest.mark.parametrize("classes", [3, 10])
    def test_smoothing_punishes_a_growing_logit_only_past_the_best_answer(self, classes):
        best = math.log((0.9 + 0.1 / classes) / (0.1 / classes))
        logits = torch.zeros(3, classes)
        for half, falls in ((torch.tensor([0.0, 0.5, 1.0]), True), (torch.tensor([1.0, 1.5, 2.0]), False)):
            logits[:, 0] = half * best
            losses = F.cross_entropy(logits, torch.zeros(3).long(), reduction="none", label_smoothing=0.1)
            assert ((losses.diff() < 0).all() if falls else (losses.diff() > 0).all()).item()

    @pytest.mark.parametrize("classes", [2, 10, 1000])
    def test_cross_entropy_is_log_softmax_and_nll(self, classes):
        logits, label = 20 * torch.randn(8, classes), torch.randint(classes, (8,))
        expected = logits.logsumexp(dim=1) - logits[range(8), label]
        torch.testing.assert_close(F.cross_entropy(logits, label, reduction="none"), expected, rtol=1e-5, atol=1e-5)
        torch.testing.assert_close(F.nll_loss(logits.log_softmax(1), label), F.cross_entropy(logits, label))

    @pytest.mark.parametrize("values", [(3.0, -1.0, 0.5), (0.0, 0.0, 0.0), (-2.0, 6.0, 1.0)])
    @pytest.mark.parametrize("label", [0, 1, 2])
    def test_five_of_the_eight_are_cross_entropy(self, values, label):
        expected = cross_entropy_logits.loss_and_gradient("logits", F.cross_entropy, values, label)
        p = math.exp(values[label]) / sum(math.exp(value) for value in values)
        assert expected == pytest.approx((-math.log(p), p - 1), rel=1e-4)
        right = {
            (end, loss_function.__name__)
            for end in cross_entropy_logits.ENDS
            for loss_function in (F.cross_entropy, F.nll_loss)
            if cross_entropy_logits.loss_and_gradient(end, loss_function, values, label)
            == pytest.approx(expected, rel=1e-3, abs=1e-6)
        }
        assert right == {
            ("logits", "cross_entropy"),
            ("log_softmax", "cross_entropy"),
            ("log_softmax", "nll_loss"),
            ("log of softmax", "cross_entropy"),
            ("log of softmax", "nll_loss"),
        }

    def test_three_are_left_where_a_probability_is_zero(self):
        for end, loss_function in (
            ("logits", F.cross_entropy),
            ("log_softmax", F.cross_entropy),
            ("log_softmax", F.nll_loss),
        ):
            result = cross_entropy_logits.loss_and_gradient(end, loss_function, (0.0, 300.0, 0.0), 0)
            assert result == (300, -1)
        for loss_function in (F.cross_entropy, F.nll_loss):
            loss, gradient = cross_entropy_logits.loss_and_gradient("log of softmax", loss_function, (300.0, 0.0), 1)
            assert loss == math.inf and math.isnan(gradient)

    @pytest.mark.parametrize("classes", [2, 3, 100])
    def test_a_softmax_before_the_loss_has_a_floor(self, classes):
        floor = math.log(1 + (classes - 1) / math.e)
        label = torch.arange(classes)
        sure = 1000 * F.one_hot(label).float()
        assert F.cross_entropy(sure.softmax(1), label).item() == pytest.approx(floor, rel=1e-5)
        for scale in (0.1, 1, 10, 100):
            assert F.cross_entropy((scale * torch.randn(classes, classes)).softmax(1), label) >= floor - 1e-5

    def test_the_gradient_through_two_softmaxes(self):
        z, label = torch.randn(6, dtype=torch.float64, requires_grad=True), 2
        (gradient,) = torch.autograd.grad(F.cross_entropy(z.softmax(0), torch.tensor(label)), z)
        p = z.detach().softmax(0)
        g = p.softmax(0) - F.one_hot(torch.tensor(label), 6)
        torch.testing.assert_close(gradient, p * (g - (p * g).sum()))

    def test_the_surer_the_mistake_the_weaker_the_push(self):
        pushes = [
            abs(cross_entropy_logits.loss_and_gradient("softmax", F.cross_entropy, (lead, 0.0), 1)[1])
            for lead in (1.0, 3.0, 6.0, 12.0)
        ]
        assert pushes == sorted(pushes, reverse=True) and pushes[-1] < 1e-4

    @pytest.mark.parametrize("classes", [10, 100, 1000])
    def test_at_the_start_the_push_falls_with_the_number_of_classes(self, classes):
        start = (0.0,) * classes
        _, right = cross_entropy_logits.loss_and_gradient("logits", F.cross_entropy, start, 0)
        _, wrong = cross_entropy_logits.loss_and_gradient("softmax", F.cross_entropy, start, 0)
        assert wrong / right == pytest.approx(1 / classes, rel=1e-2)

    @pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
    def test_a_second_log_softmax_changes_only_the_rounding(self, dtype):
        once = (10 * torch.randn(50, 9)).to(dtype).log_softmax(1)
        torch.testing.assert_close(once.log_softmax(1), once, rtol=0, atol=100 * torch.finfo(dtype).eps)

    @pytest.mark.parametrize("softmax", [False, True])
    @pytest.mark.parametrize("classes", [5, 40])
    def test_the_first_loss_is_log_c_either_way(self, classes, softmax):
        first, _, _ = cross_entropy_logits_hidden.train(classes, "SGD", softmax, steps=1)
        assert first == pytest.approx(math.log(classes), rel=0.04)

    def test_ten_classes_hide_it_and_a_hundred_do_not(self):
        train = cross_entropy_logits_hidden.train
        assert train(10, "SGD", softmax=True)[2] > 0.95
        first, last, accuracy = train(120, "SGD", softmax=True, steps=60)
        assert last == pytest.approx(first, rel=1e-2) and accuracy < 0.1
        assert train(120, "SGD", softmax=False, steps=60)[2] > 0.5
        assert train(120, "AdamW", softmax=True, steps=60)[2] > 0.5

    def test_the_last_loss_stands_at_the_floor(self):
        _, last, _ = cross_entropy_logits_hidden.train(10, "AdamW", softmax=True)
        assert last == pytest.approx(math.log(1 + 9 / math.e), abs=0.02)

    @pytest.mark.parametrize("softmax", [False, True])
    def test_overfitting_one_batch_tells(self, softmax):
        x, y = torch.randn(16, 8), torch.arange(16) % 4
        model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 4))
        if softmax:
            model.append(nn.Softmax(dim=1))
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.03)
        for _ in range(100):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        assert loss.item() == pytest.approx(math.log(1 + 3 / math.e) if softmax else 0, abs=0.01)

    def test_the_rows_of_a_softmax_add_up_to_one(self):
        logits = torch.randn(7, 12)
        torch.testing.assert_close(logits.softmax(1).sum(1), torch.ones(7))
        assert not torch.allclose(logits.sum(1), torch.ones(7))

    def test_with_soft_targets_the_least_loss_is_their_entropy(self):
        target = torch.randn(20, 5).softmax(1)
        entropy = -(target * target.log()).sum(1).mean()
        torch.testing.assert_close(F.cross_entropy(target.log() + 3, target), entropy)
        assert F.cross_entropy(torch.randn(20, 5), target) > entropy > 0.1
        one_hot = F.one_hot(torch.arange(20) % 5, 5).float()
        assert F.cross_entropy(50 * one_hot, one_hot) < 1e-6

    def test_a_clamped_probability_gets_no_gradient(self):
        logits = torch.tensor([[120.0, 0.0]], requires_grad=True)
        loss = F.nll_loss(logits.softmax(1).clamp_min(torch.finfo(torch.float32).tiny).log(), torch.tensor([1]))
        loss.backward()
        assert math.isfinite(loss.item()) and not logits.grad.any()

    def test_a_hook_on_the_layer_before_has_the_logits(self):
        model, seen = nn.Sequential(nn.Linear(3, 4), nn.Softmax(1)), []
        model[0].register_forward_hook(lambda module, inputs, output: seen.append(output))
        probabilities = model(torch.ones(2, 3))
        torch.testing.assert_close(seen[0].softmax(1), probabilities)
