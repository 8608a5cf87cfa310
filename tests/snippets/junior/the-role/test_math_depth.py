"""What docs/junior/the-role/math-depth.md claims, proven beyond the example shown."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.autograd.gradcheck import GradcheckError, gradcheck
from torch.utils.flop_counter import FlopCounterMode

from warmup.testing import load_snippet

maths = load_snippet("junior/the-role/math_depth_batch.py")
maths_broken = load_snippet("junior/the-role/math_depth_broken.py")
maths_float32 = load_snippet("junior/the-role/math_depth_float32.py")


class TestMathDepth:
    @pytest.mark.parametrize(("n", "inputs", "hidden", "classes"), [(1, 2, 3, 2), (7, 3, 4, 5), (16, 6, 2, 3)])
    def test_by_hand_equals_autograd_for_any_shape(self, n, inputs, hidden, classes):
        x, y = torch.randn(n, inputs, dtype=torch.float64), torch.randint(classes, (n,))
        w1 = torch.randn(inputs, hidden, dtype=torch.float64, requires_grad=True)
        w2 = torch.randn(hidden, classes, dtype=torch.float64, requires_grad=True)
        automatic = torch.autograd.grad(F.cross_entropy((x @ w1).relu() @ w2, y), (w1, w2))
        for left, right in zip(maths.backpropagate(x, y, w1, w2), automatic, strict=True):
            torch.testing.assert_close(left, right)

    def test_the_sum_of_outer_products_is_a_matrix_product(self):
        x, delta = torch.randn(9, 4), torch.randn(9, 3)
        torch.testing.assert_close(sum(map(torch.outer, x, delta)), x.T @ delta)

    @pytest.mark.parametrize(("dtype", "right"), [(torch.float16, False), (torch.float32, True), (torch.float64, True)])
    def test_the_softmax_by_hand_is_not_for_float16(self, dtype, right):
        z = torch.zeros(70_000, dtype=dtype)
        assert torch.allclose(maths.softmax(z), z.softmax(0), atol=0) is right

    @pytest.mark.parametrize("shift", [0.0, 50.0, 5000.0, -5000.0])
    def test_a_constant_changes_softmax_not_and_log_sum_exp_by_itself(self, shift):
        z = torch.randn(4, 6, dtype=torch.float64)
        torch.testing.assert_close(maths.softmax(z + shift), maths.softmax(z))
        torch.testing.assert_close(maths.log_sum_exp(z + shift), maths.log_sum_exp(z) + shift)
        torch.testing.assert_close(maths.softmax(z + shift), (z + shift).softmax(-1))

    @pytest.mark.parametrize("logits", [(-math.inf, -math.inf), (math.inf, 0.0), (-math.inf, 2.0), (3e38, -3e38)])
    def test_log_sum_exp_treats_infinite_logits_as_pytorch_does(self, logits):
        z = torch.tensor([logits, (1.0, 2.0)])
        torch.testing.assert_close(maths.log_sum_exp(z), z.logsumexp(-1))
        if math.inf not in logits:
            torch.testing.assert_close(maths.softmax(z), z.softmax(-1), equal_nan=True)

    @pytest.mark.parametrize(("terms", "finite"), [(1000, True), (70_000, False)])
    def test_the_sum_of_log_sum_exp_can_overflow_in_float16(self, terms, finite):
        z = torch.zeros(terms, dtype=torch.float16)
        assert maths.log_sum_exp(z).isfinite().item() is finite
        assert maths.log_sum_exp(z.float()).isfinite()

    @pytest.mark.parametrize("mean", [0.0, 3.0])
    def test_variance_one_over_n_keeps_the_mean_square_and_not_the_spread(self, mean):
        torch.manual_seed(0)
        x = torch.randn(2000, 400) + mean
        after = x @ (torch.randn(400, 4000) / 20)
        torch.testing.assert_close(after.square().mean(), x.square().mean(), rtol=0.1, atol=0)
        assert (after.std() > 2 * x.std()).item() is (mean > 0)

    def test_variance_one_over_n_keeps_the_spread_and_two_over_n_does_with_relu(self):
        torch.manual_seed(0)
        for relu, gain in ((False, 1.0), (True, 2.0)):
            x = torch.randn(2000, 256)
            for _ in range(5):
                w = torch.randn(256, 256) * math.sqrt(gain / 256)
                x = (x.relu() if relu else x) @ w
            assert x.std().item() == pytest.approx(1.0, abs=0.15)

    @pytest.mark.parametrize("seed", range(8))
    def test_the_wrong_gradient_trains_and_ends_higher(self, seed):
        right, wrong = maths_broken.losses(True, seed), maths_broken.losses(False, seed)
        assert right[0] == wrong[0]
        assert 1.1 * right[-1] < wrong[-1] < 0.35 * wrong[0]

    @pytest.mark.parametrize("seed", range(3))
    @pytest.mark.parametrize(
        ("optimizer", "rate", "depth", "trains"),
        [(torch.optim.SGD, 0.05, 3, True), (torch.optim.SGD, 0.05, 6, False), (torch.optim.AdamW, 0.01, 6, True)],
    )
    def test_the_wrong_gradient_fails_deep_with_sgd_and_not_with_adamw(self, optimizer, rate, depth, trains, seed):
        torch.manual_seed(seed)
        points = torch.randn(256, 2)
        y = (points.norm(dim=1) > 1.2).long()
        sizes = [3, *[16] * depth, 2]
        weights = [
            (torch.randn(i, o) * (2 / i) ** 0.5).requires_grad_() for i, o in zip(sizes, sizes[1:], strict=False)
        ]
        step = optimizer(weights, lr=rate)
        for _ in range(200):
            hidden = torch.cat([points, torch.ones(256, 1)], dim=1)
            for weight in weights[:-1]:
                hidden = maths_broken.Relu.apply(hidden @ weight, False)
            loss = F.cross_entropy(hidden @ weights[-1], y)
            step.zero_grad()
            loss.backward()
            step.step()
        assert (loss.item() < 0.3) is trains

    @pytest.mark.parametrize("n", [1, 6])
    def test_the_gradients_of_a_linear_layer_by_hand(self, n):
        layer, x, d = nn.Linear(5, 3), torch.randn(n, 5, requires_grad=True), torch.randn(n, 3)
        layer(x).backward(d)
        torch.testing.assert_close(layer.weight.grad, d.T @ x.detach())
        torch.testing.assert_close(layer.bias.grad, d.sum(0))
        torch.testing.assert_close(x.grad, d @ layer.weight.detach())
        torch.testing.assert_close(layer.weight.grad, sum(map(torch.outer, d, x.detach())))

    @pytest.mark.parametrize("x, w1, w2, y", [(2.0, 0.5, 3.0, 1.0), (2.0, -0.5, 3.0, 1.0), (-1.0, -2.0, 0.5, 4.0)])
    def test_the_chain_rule_of_the_picture_holds_for_other_numbers(self, x, w1, w2, y):
        w1, w2 = (torch.tensor(w, requires_grad=True) for w in (w1, w2))
        hidden = torch.relu(w1 * x)
        output = w2 * hidden
        ((output - y) ** 2).backward()
        d_output = 2 * (output - y)
        torch.testing.assert_close(w2.grad, d_output * hidden)
        torch.testing.assert_close(w1.grad, d_output * w2 * (w1 * x > 0) * x)

    @pytest.mark.parametrize(
        ("optimizer", "options", "hidden"),
        [
            (torch.optim.Adam, {}, True),
            (torch.optim.AdamW, {"weight_decay": 0.1}, True),
            (torch.optim.Adam, {"weight_decay": 0.1}, False),
        ],
    )
    def test_adam_hides_a_factor_unless_decay_is_added_to_the_gradient(self, optimizer, options, hidden):
        weights = []
        for factor in (1, 64):
            torch.manual_seed(0)
            layer, x, y = nn.Linear(3, 1), torch.randn(64, 3), torch.randn(64, 1)
            step = optimizer(layer.parameters(), lr=0.01, **options)
            for _ in range(100):
                step.zero_grad()
                (factor * F.mse_loss(layer(x), y)).backward()
                step.step()
            weights.append(layer.weight.detach())
        assert torch.allclose(*weights, atol=1e-5) is hidden

    @staticmethod
    def hides_a_factor_from_clipping(optimizer_class, steps: int, clip: float) -> bool:
        """Whether 64 times the loss trains the same weights, if each gradient is clipped."""
        weights = []
        for factor in (1, 64):
            torch.manual_seed(0)
            layer, x, y = nn.Linear(3, 1), torch.randn(64, 3), torch.randn(64, 1)
            optimizer = optimizer_class(layer.parameters(), lr=0.01)
            for _ in range(steps):
                optimizer.zero_grad()
                (factor * F.mse_loss(layer(x), y)).backward()
                nn.utils.clip_grad_norm_(layer.parameters(), clip)
                optimizer.step()
            weights.append(layer.weight.detach())
        return torch.allclose(*weights, atol=1e-5)

    @pytest.mark.parametrize(("clip", "hidden"), [(1.0, False), (1e9, True)])
    def test_adam_does_not_hide_a_factor_from_clipping(self, clip, hidden):
        assert self.hides_a_factor_from_clipping(torch.optim.Adam, 50, clip) is hidden

    @pytest.mark.parametrize(("clip", "hidden"), [(0.01, True), (10.0, False), (1e9, False)])
    def test_clipping_hides_a_factor_from_sgd_if_both_gradients_are_clipped(self, clip, hidden):
        assert self.hides_a_factor_from_clipping(torch.optim.SGD, 20, clip) is hidden

    @pytest.mark.parametrize("p", [0.0, 0.5])
    def test_gradcheck_can_fail_with_dropout_although_the_gradient_is_right(self, p):
        torch.manual_seed(0)
        x = torch.randn(8, dtype=torch.float64, requires_grad=True)
        assert gradcheck(lambda x: F.dropout(x, p), x, raise_exception=False) is (p == 0)

    @pytest.mark.parametrize("kink", [True, False])
    def test_gradcheck_can_fail_at_a_kink_although_the_gradient_is_right(self, kink):
        x = torch.tensor([0.0 if kink else 1.0], dtype=torch.float64, requires_grad=True)
        assert gradcheck(torch.relu, x, raise_exception=False) is not kink

    def test_gradcheck_tells_the_two_apart(self):
        x = torch.tensor([-2.0, -0.3, 0.7], dtype=torch.float64, requires_grad=True)
        assert gradcheck(lambda x: maths_broken.Relu.apply(x, True), x)
        with pytest.raises(GradcheckError, match="Jacobian mismatch"):
            gradcheck(lambda x: maths_broken.Relu.apply(x, False), x)

    @pytest.mark.parametrize("x", [0.0, 1.0, 3.0])
    def test_a_smaller_step_makes_float32_worse(self, x):
        errors = [abs(maths_float32.slope(x, step, torch.float32) - math.exp(x)) for step in (1e-3, 1e-7)]
        assert errors[1] > 10 * errors[0]
        assert abs(maths_float32.slope(x, 1e-5, torch.float64) - math.exp(x)) < 1e-8

    def test_below_some_size_a_smaller_step_makes_the_error_grow_and_float32_gets_there_first(self):
        grows = {
            dtype: [maths_float32.error(step / 100, dtype) > maths_float32.error(step, dtype) for step in (1e-3, 1e-5)]
            for dtype in (torch.float32, torch.float64)
        }
        assert grows == {torch.float32: [True, True], torch.float64: [False, True]}

    @pytest.mark.parametrize("function", [torch.sin, torch.tanh])
    def test_at_zero_a_smaller_step_need_not_make_float32_worse(self, function):
        for at, worse in ((0.0, False), (1.0, True)):
            x = torch.tensor(at, dtype=torch.float64, requires_grad=True)
            (right,) = torch.autograd.grad(function(x), x)
            errors = []
            for step in (torch.tensor(1e-3), torch.tensor(1e-7)):
                slope = (function(at + step) - function(at - step)) / (2 * step)
                errors.append(abs(slope.item() - right.item()))
            assert (errors[1] > errors[0]) == worse

    @pytest.mark.parametrize("pair", [(100.0, 101.0), (30.0, 31.0)])
    def test_the_softmax_by_hand_is_not_for_bfloat16(self, pair):
        for dtype, right in ((torch.float32, True), (torch.float64, True), (torch.bfloat16, False)):
            z = torch.tensor(pair, dtype=dtype)
            assert torch.allclose(maths.softmax(z), z.softmax(0), atol=0.01) == right

    def test_forgetting_the_mean_is_a_learning_rate_times_n_and_adam_hides_it(self):
        x, y = torch.randn(8, 3), torch.randn(8, 1)
        moves = {}
        for optimizer in (torch.optim.SGD, torch.optim.Adam):
            for reduction in ("mean", "sum"):
                torch.manual_seed(0)
                layer = nn.Linear(3, 1)
                before = layer.weight.detach().clone()
                F.mse_loss(layer(x), y, reduction=reduction).backward()
                optimizer(layer.parameters(), lr=0.01).step()
                moves[optimizer.__name__, reduction] = layer.weight.detach() - before
        torch.testing.assert_close(moves["SGD", "sum"], 8 * moves["SGD", "mean"])
        torch.testing.assert_close(moves["Adam", "sum"], moves["Adam", "mean"])

    @pytest.mark.parametrize(("samples", "n", "m"), [(5, 3, 7), (2, 4, 4)])
    def test_a_linear_layer_has_nm_and_m_parameters_and_costs_2nnm_flops_and_twice_that_backward(self, samples, n, m):
        layer, x = nn.Linear(n, m), torch.randn(samples, n, requires_grad=True)
        assert [p.numel() for p in layer.parameters()] == [n * m, m]
        with FlopCounterMode(display=False) as forward:
            y = layer(x)
        with FlopCounterMode(display=False) as backward:
            y.sum().backward()
        assert forward.get_total_flops() == 2 * samples * n * m
        assert backward.get_total_flops() == 2 * forward.get_total_flops()

    def test_kl_divergence_to_a_fixed_target_has_the_gradient_of_the_cross_entropy(self):
        torch.manual_seed(0)
        for classes in (2, 5):
            logits = torch.randn(6, classes, dtype=torch.float64, requires_grad=True)
            target = torch.rand(6, classes, dtype=torch.float64).softmax(1)
            kl = F.kl_div(logits.log_softmax(1), target, reduction="batchmean")
            (a,), (b,) = (torch.autograd.grad(one, logits) for one in (kl, F.cross_entropy(logits, target)))
            torch.testing.assert_close(a, b)
