"""What docs/junior/training-loop/loss-functions.md claims, proven beyond the example shown."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from warmup.testing import load_snippet

loss_functions_bce = load_snippet("junior/training-loop/loss_functions_bce.py")
loss_functions_curves = load_snippet("junior/training-loop/loss_functions_curves.py")


class TestLossFunctions:
    @pytest.mark.parametrize("loss_function", [F.cross_entropy, F.binary_cross_entropy_with_logits])
    def test_the_right_dtypes_and_the_wrong_ones(self, loss_function):
        logits, label = torch.randn(5, 4), torch.tensor([3, 0, 1, 2, 2])
        hot = F.one_hot(label, 4)
        loss_function(logits, hot.float())
        with pytest.raises(RuntimeError):
            loss_function(logits, hot)
        if loss_function is F.cross_entropy:
            loss_function(logits, label)
            for wrong in (label.float(), label.double(), label.int(), label.short(), label.unsqueeze(1)):
                with pytest.raises(RuntimeError):
                    loss_function(logits, wrong)
            with pytest.raises(IndexError, match="out of bounds"):
                loss_function(logits, label + 1)
        else:
            with pytest.raises(ValueError, match="must be the same"):
                loss_function(logits, label)

    def test_each_loss_is_a_negative_log_likelihood(self):
        value, target = torch.randn(6, 3), torch.randn(6, 3)
        normal = torch.exp(-(value - target).square() / 2) / math.sqrt(2 * math.pi)
        torch.testing.assert_close(F.mse_loss(value, target) / 2 + math.log(2 * math.pi) / 2, -normal.log().mean())
        tags, p = torch.randint(2, (6, 3)).float(), 1 / (1 + torch.exp(-value))
        bernoulli = torch.where(tags == 1, p, 1 - p)
        torch.testing.assert_close(F.binary_cross_entropy_with_logits(value, tags), -bernoulli.log().mean())
        label = torch.randint(3, (6,))
        categorical = (value.exp() / value.exp().sum(dim=1, keepdim=True))[range(6), label]
        torch.testing.assert_close(F.cross_entropy(value, label), -categorical.log().mean())

    def test_a_float_one_hot_target_is_the_index(self):
        logits, label = 5 * torch.randn(20, 7), torch.randint(7, (20,))
        one_hot = F.one_hot(label, 7).float()
        torch.testing.assert_close(F.cross_entropy(logits, one_hot), F.cross_entropy(logits, label))

    def test_labels_one_and_two_have_no_finite_best_prediction(self):
        assert F.binary_cross_entropy_with_logits(torch.full((4,), 1e4), torch.tensor([1.0, 2.0, 2.0, 1.0])) < -1000

    def test_probabilities_as_logits_cannot_reach_zero(self):
        perfect = torch.tensor([1.0, 0.0, 1.0])
        assert F.binary_cross_entropy_with_logits(perfect, perfect) > 0.4
        assert F.binary_cross_entropy_with_logits(1000 * (perfect - 0.5), perfect) == 0

    def test_the_class_dimension_is_dimension_one(self):
        tokens, label = torch.randn(2, 5, 7), torch.randint(7, (2, 5))
        with pytest.raises(RuntimeError):
            F.cross_entropy(tokens, label)
        transposed = F.cross_entropy(tokens.transpose(1, 2), label)
        torch.testing.assert_close(transposed, F.cross_entropy(tokens.flatten(0, 1), label.flatten()))
        assert F.cross_entropy(torch.randn(2, 3, 8, 8), torch.zeros(2, 8, 8, dtype=torch.int64)).ndim == 0

    @pytest.mark.parametrize("logits", [torch.zeros(2, 1), 9 * torch.randn(30, 1)])
    def test_a_column_is_one_class_and_trains_nothing(self, logits):
        logits = logits.requires_grad_()
        target = torch.randint(2, logits.shape).float()
        target[0] = 1
        loss = F.cross_entropy(logits, target)
        loss.backward()
        assert loss.item() == 0 and not logits.grad.any()
        logits.grad = None
        F.binary_cross_entropy_with_logits(logits, target).backward()
        torch.testing.assert_close(logits.grad, (logits.detach().sigmoid() - target) / target.numel())
        with pytest.raises(IndexError, match="Target 1 is out of bounds"):
            F.cross_entropy(logits, target[:, 0].long())

    @pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.Adam])
    def test_a_model_with_one_output_and_cross_entropy_never_learns(self, optimizer):
        model, x = nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 1)), torch.randn(32, 5)
        before = [p.clone() for p in model.parameters()]
        steps = optimizer(model.parameters(), lr=0.1)
        for _ in range(5):
            loss = F.cross_entropy(model(x), (x[:, :1] > 0).float())
            steps.zero_grad()
            loss.backward()
            steps.step()
            assert loss.item() == 0
        assert all(map(torch.equal, before, model.parameters()))

    @pytest.mark.parametrize("shift", [3.0, -20.0])
    def test_a_vector_is_one_sample_whose_classes_are_the_batch(self, shift):
        z, y = torch.randn(30), torch.randint(2, (30,)).float()
        loss = F.cross_entropy(z, y)
        torch.testing.assert_close(loss, -(y * F.log_softmax(z, dim=0)).sum())
        torch.testing.assert_close(loss, F.cross_entropy(z + shift, y))  # zero means nothing to it
        bce = F.binary_cross_entropy_with_logits
        assert not torch.allclose(bce(z, y), bce(z + shift, y))

    @pytest.mark.parametrize("classes", [3, 7])
    def test_zero_logits_cost_the_logarithm_of_the_choices(self, classes):
        logits = torch.zeros(4, classes)
        assert F.cross_entropy(logits, torch.arange(4) % 3).item() == pytest.approx(math.log(classes))
        tags = torch.randint(2, (4, classes)).float()
        assert F.binary_cross_entropy_with_logits(logits, tags).item() == pytest.approx(math.log(2))

    @pytest.mark.parametrize(
        ("module", "function", "target"),
        [
            (nn.MSELoss, F.mse_loss, torch.randn(5, 3)),
            (nn.CrossEntropyLoss, F.cross_entropy, torch.tensor([0, 2, 1, 1, 0])),
            (nn.BCEWithLogitsLoss, F.binary_cross_entropy_with_logits, torch.ones(5, 3)),
        ],
    )
    def test_each_loss_is_also_a_function(self, module, function, target):
        prediction = torch.randn(5, 3)
        assert torch.equal(module()(prediction, target), function(prediction, target))

    @pytest.mark.parametrize("shape", [(), (6,)])
    def test_a_class_index_of_minus_100_is_left_out(self, shape):
        logits, label = torch.randn(4, 5, *shape), torch.randint(5, (4, *shape))
        label[0] = -100
        torch.testing.assert_close(F.cross_entropy(logits, label), F.cross_entropy(logits[1:], label[1:]))

    @pytest.mark.parametrize("shape", [(), (6,)])
    def test_with_class_weights_the_mean_divides_by_the_weights_used(self, shape):
        logits, label = torch.randn(4, 5, *shape), torch.randint(5, (4, *shape))
        weight = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0])
        total = F.cross_entropy(logits, label, weight, reduction="sum")
        torch.testing.assert_close(F.cross_entropy(logits, label, weight), total / weight[label].sum())
        one = torch.full_like(label, 2)
        torch.testing.assert_close(F.cross_entropy(logits, one, weight), F.cross_entropy(logits, one))

    @pytest.mark.parametrize("n", [3, 8])
    def test_of_a_column_and_a_vector_mse_warns_and_broadcasts_and_bce_raises(self, n):
        column, vector = torch.randn(n, 1), torch.randn(n)
        with pytest.warns(UserWarning, match="different to the input size"):
            loss = F.mse_loss(column, vector)
        torch.testing.assert_close(loss, (column - vector).square().sum() / n**2)
        with pytest.raises(ValueError, match="must be the same"):
            F.binary_cross_entropy_with_logits(column, torch.ones(n))

    @pytest.mark.parametrize("tags", [1, 4])
    def test_each_tag_has_a_sigmoid_of_its_own_and_classes_compete(self, tags):
        logits = torch.randn(3, tags + 1, requires_grad=True)
        for loss, competes in (
            (F.binary_cross_entropy_with_logits(logits, torch.ones(3, tags + 1), reduction="none")[:, 0], False),
            (F.cross_entropy(logits, torch.zeros(3, dtype=torch.int64), reduction="none"), True),
        ):
            (g,) = torch.autograd.grad(loss.sum(), logits)
            assert g[:, 0].lt(0).all() and g[:, 1:].gt(0).all().item() is competes
            assert competes or not g[:, 1:].any()

    @pytest.mark.parametrize("logit", [17.0, 20.0, 60.0])
    def test_sigmoid_then_bce_loses_the_gradient_of_the_worst_mistake(self, logit):
        loss, gradient = loss_functions_bce.loss_and_gradient(loss_functions_bce.two_steps, logit, 0.0)
        assert (loss, gradient) == (100, 0)
        fused = loss_functions_bce.loss_and_gradient(F.binary_cross_entropy_with_logits, logit, 0.0)
        assert fused == pytest.approx((logit, 1))

    @pytest.mark.parametrize("logit", [-4.0, -0.3, 0.0, 2.0, 8.0])
    @pytest.mark.parametrize("target", [0.0, 0.3, 1.0])
    def test_at_moderate_logits_both_are_the_same(self, logit, target):
        split = loss_functions_bce.loss_and_gradient(loss_functions_bce.two_steps, logit, target)
        fused = loss_functions_bce.loss_and_gradient(F.binary_cross_entropy_with_logits, logit, target)
        assert split == pytest.approx(fused, rel=1e-3, abs=1e-6)
        assert fused[1] == pytest.approx(1 / (1 + math.exp(-logit)) - target, abs=1e-6)

    def test_the_sigmoid_of_20_is_exactly_one(self):
        assert torch.sigmoid(torch.tensor(20.0)) == 1

    def test_two_logits_are_one_logit(self):
        z, y = 10 * torch.randn(50), torch.randint(2, (50,))
        bce = F.binary_cross_entropy_with_logits(z, y.float())
        torch.testing.assert_close(F.cross_entropy(torch.stack([torch.zeros(50), z], dim=1), y), bce)
        torch.testing.assert_close(F.cross_entropy(torch.stack([-z / 2, z / 2], dim=1), y), bce)
        assert torch.equal(torch.stack([torch.zeros(50), z], dim=1).argmax(1), (z > 0).long())

    @pytest.mark.parametrize("k", [2, 3])
    def test_cross_entropy_of_k_tags_has_a_floor(self, k):
        target = torch.zeros(1, 6)
        target[0, :k] = 1
        floor = k * math.log(k)
        assert F.cross_entropy(1000 * target, target).item() == pytest.approx(floor, rel=1e-5)
        assert all(F.cross_entropy(5 * torch.randn(1, 6), target) >= floor for _ in range(100))
        assert F.binary_cross_entropy_with_logits(1000 * (target - 0.5), target) == 0

    def test_an_index_or_an_amount_is_a_rule_for_the_two_classification_losses(self):
        loss = F.mse_loss(torch.randn(3, requires_grad=True), torch.tensor([1, 2, 3]))
        if tuple(map(int, torch.__version__.split(".")[:2])) < (2, 12):  # there the forward pass alone takes it
            with pytest.raises(RuntimeError, match="Found dtype Long but expected Float"):
                loss.backward()
        else:
            loss.backward()

    def test_two_outputs_move_the_difference_twice_as_far(self):
        z = torch.tensor([0.7], requires_grad=True)
        F.binary_cross_entropy_with_logits(z, torch.ones(1)).backward()
        two = torch.tensor([[-0.35, 0.35]], requires_grad=True)
        F.cross_entropy(two, torch.tensor([1])).backward()
        torch.testing.assert_close(two.grad[0, 1] - two.grad[0, 0], 2 * z.grad[0])

    @pytest.mark.parametrize("activation", [torch.relu, torch.tanh])
    def test_two_outputs_double_the_step_of_the_last_layer_and_not_of_the_body(self, activation):
        x, y, w = torch.randn(8, 4), torch.arange(8) % 2, torch.randn(1, 3)
        body, one, two = torch.randn(3, 4), w.clone().requires_grad_(), torch.cat([-w / 2, w / 2]).requires_grad_()
        body.requires_grad_()
        hidden = activation(x @ body.T)
        bce = F.binary_cross_entropy_with_logits((hidden @ one.T).squeeze(1), y.float())
        body_one, head_one = torch.autograd.grad(bce, [body, one], retain_graph=True)
        body_two, head_two = torch.autograd.grad(F.cross_entropy(hidden @ two.T, y), [body, two])
        torch.testing.assert_close(head_two[1] - head_two[0], 2 * head_one[0])
        torch.testing.assert_close(body_two, body_one)

    @pytest.mark.parametrize("targets", [torch.rand(10_001).log().neg(), torch.rand(10_001) ** 4])
    def test_with_skewed_targets_only_mse_keeps_the_mean(self, targets):
        best = {}
        for loss in (F.mse_loss, F.l1_loss, F.huber_loss):
            constants = torch.linspace(0, 2, 401)
            best[loss] = min(constants, key=lambda c: loss(c.expand_as(targets), targets, reduction="mean")).item()
        assert best[F.mse_loss] == pytest.approx(targets.mean().item(), abs=0.01)
        assert best[F.l1_loss] < 0.85 * best[F.mse_loss]

    def test_the_squared_error_of_a_probability_loses_the_gradient_of_a_confident_mistake(self):
        for logit in (-8.0, -15.0):
            at = torch.tensor(logit, requires_grad=True)
            (bce,) = torch.autograd.grad(loss_functions_curves.bce(at, torch.tensor(1.0)), at)
            (square,) = torch.autograd.grad(loss_functions_curves.squared_error(at, torch.tensor(1.0)), at)
            assert bce == pytest.approx(-1, abs=1e-3) and abs(square) < 1e-3

    def test_mse_wants_the_mean_l1_the_median_and_huber_bounds_the_gradient(self):
        y = torch.tensor([1.0, 2.0, 3.0, 4.0, 1000.0])
        grid = torch.linspace(0, 1000, 1001)
        best = {
            f: grid[torch.stack([f(g.expand(5), y) for g in grid]).argmin()].item() for f in (F.mse_loss, F.l1_loss)
        }
        assert best == {F.mse_loss: 202, F.l1_loss: 3}
        guess = torch.zeros(5, requires_grad=True)
        F.huber_loss(guess, y, reduction="sum", delta=2.0).backward()
        assert guess.grad.abs().max() == 2

    @pytest.mark.parametrize("factor", [2, 5])
    def test_pos_weight_counts_a_positive_several_times(self, factor):
        z, y = torch.randn(6), torch.tensor([1.0, 0, 0, 1, 0, 0])
        drawn = torch.cat([z, *[z[y == 1]] * (factor - 1)]), torch.cat([y, *[y[y == 1]] * (factor - 1)])
        weighted = F.binary_cross_entropy_with_logits(z, y, pos_weight=torch.tensor(float(factor)), reduction="sum")
        torch.testing.assert_close(weighted, F.binary_cross_entropy_with_logits(*drawn, reduction="sum"))
