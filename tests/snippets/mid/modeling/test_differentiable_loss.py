"""Every claim that docs/mid/modeling/differentiable-loss.md makes, proven beyond the example shown."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from warmup.testing import load_snippet

check = load_snippet("mid/modeling/differentiable_loss_check.py")
broken = load_snippet("mid/modeling/differentiable_loss_broken.py")
NEEDS_DETACH = "Can't call numpy"
NO_HISTORY = "does not require grad and does not have a grad_fn"
Y = torch.tensor([0, 1, 2, 0, 1])


def prediction(dtype=torch.float32):
    return torch.randn(5, 3, dtype=dtype)


class TestDifferentiableLoss:
    @pytest.mark.parametrize("call", [np.exp, np.asarray, np.abs, lambda z: z.numpy(), np.log1p])
    def test_numpy_raises_on_a_tensor_that_requires_grad_and_not_on_another(self, call):
        with pytest.raises(RuntimeError, match=NEEDS_DETACH):
            call(prediction().requires_grad_())
        assert np.asarray(prediction()).shape == (5, 3)

    def test_squeeze_of_numpy_keeps_the_graph(self):
        z = prediction().requires_grad_()
        np.squeeze(z).sum().backward()
        assert (z.grad == 1).all()

    @pytest.mark.parametrize(
        "loss_of",
        [
            lambda z: (z.argmax(1) != Y).double().mean(),
            lambda z: torch.tensor(F.cross_entropy(z, Y).item()),
            lambda z: torch.from_numpy(np.exp(z.detach().numpy())).mean(),
            lambda z: F.cross_entropy(z.data, Y),
            lambda z: z.argsort(1).double().mean(),
            lambda z: (z > 0).double().mean(),
        ],
    )
    def test_a_cut_loss_raises_in_backward_and_is_silent_with_the_flag_set(self, loss_of):
        z = prediction().requires_grad_()
        with pytest.raises(RuntimeError, match=NO_HISTORY):
            loss_of(z).backward()
        loss = loss_of(z).requires_grad_()
        assert loss.requires_grad
        assert loss.grad_fn is None
        loss.backward()
        assert z.grad is None
        assert check.verdict(loss_of, z) == "cut"
        assert check.verdict(lambda z: loss_of(z).requires_grad_(), z) == "cut"

    @pytest.mark.parametrize("flat", [torch.round, torch.floor, torch.sign, lambda z: z.clamp(min=100)])
    def test_a_flat_loss_is_zero_and_passes_gradcheck(self, flat):
        z = prediction(torch.float64).requires_grad_()
        assert check.verdict(lambda z: flat(z).mean(), z) == "zero"
        assert torch.autograd.gradcheck(lambda z: flat(z).mean(), (z,))

    def test_argmax_passes_gradcheck(self):
        z = prediction(torch.float64).requires_grad_()
        assert torch.autograd.gradcheck(lambda z: z.argmax(1).double().mean(), (z,))

    @pytest.mark.parametrize(
        "loss_of",
        [
            lambda z: (z.softmax(1).detach() * z).sum(),
            lambda z: z.mean() + z.square().mean().item(),
            lambda z: F.cross_entropy(z, Y) * float(z.detach().exp().mean()),
        ],
    )
    def test_a_part_that_became_a_constant_is_wrong_for_the_check_and_for_gradcheck(self, loss_of):
        z = prediction(torch.float64).requires_grad_()
        assert check.verdict(loss_of, z).startswith("wrong")
        assert not torch.autograd.gradcheck(loss_of, (z,), raise_exception=False)

    @pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
    @pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
    @pytest.mark.parametrize(
        "loss_of",
        [
            lambda z: F.cross_entropy(z, Y),
            lambda z: z.square().mean(),
            lambda z: z.logsumexp(1).sum(),
            lambda z: z.tanh().mean().reshape(1),
        ],
    )
    def test_a_differentiable_loss_is_ok_at_any_scale(self, dtype, scale, loss_of):
        z = prediction(dtype)
        before = z.clone()
        assert check.verdict(lambda z: scale * loss_of(z), z) == "ok"
        assert torch.equal(z, before)
        assert not z.requires_grad
        with torch.no_grad():
            assert check.verdict(loss_of, z.T.contiguous().T) == "ok"

    def test_the_check_names_what_is_no_scalar_tensor_not_finite_or_raises(self):
        z = prediction()
        assert check.verdict(lambda z: z.mean().item(), z) == "not a scalar tensor"
        assert check.verdict(lambda z: z.mean(0), z) == "not a scalar tensor"
        assert check.verdict(lambda z: (0 * z).sum().sqrt(), z) == "not finite"
        assert check.verdict(lambda z: z.sum() / 0, z) == "not finite"
        assert check.verdict(lambda z: z.numpy().mean(), z) == "raises RuntimeError"
        assert check.verdict(lambda z: z.no_such_name, z) == "raises AttributeError"

    @pytest.mark.parametrize("p", [[0.2, 1.0], [0.0, 0.7]])
    def test_a_loss_that_raises_beside_its_domain_gets_a_verdict(self, p):
        y = torch.tensor([1.0, 0.0], dtype=torch.float64)
        found = check.verdict(lambda z: F.binary_cross_entropy(z, y), torch.tensor(p))
        assert found == "raises RuntimeError close to the prediction"
        assert check.verdict(lambda z: F.binary_cross_entropy(z, y), torch.tensor([0.2, 0.7])) == "ok"

    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    def test_a_loss_that_writes_into_its_detached_prediction_does_not_change_the_callers(self, dtype):
        z = prediction(dtype)
        before = z.clone()
        found = check.verdict(lambda z: z.square().sum() + z.detach().mul_(2).sum(), z)
        assert found == "raises RuntimeError in backward"
        assert torch.equal(z, before)
        check.verdict(lambda z: z.detach().mul_(2).sum() + z.sum(), z)
        assert torch.equal(z, before)

    @pytest.mark.parametrize("at", [1e-5, 1.0, 1e6, 1e12])
    def test_the_check_adapts_its_step_to_the_size_of_the_prediction(self, at):
        z = torch.full((4,), at)
        assert check.verdict(lambda z: z.square().mean(), z) == "ok"
        assert check.verdict(lambda z: (z.detach() * z).mean(), z).startswith("wrong")

    def test_the_check_does_not_judge_what_computes_in_float32_or_leaves_its_domain(self):
        z, y = prediction(), torch.rand(5, 3)
        assert check.verdict(lambda z: F.binary_cross_entropy_with_logits(z, y), z) == "not float64"
        assert check.verdict(lambda z: F.binary_cross_entropy_with_logits(z, y.double()), z) == "ok"
        assert check.verdict(lambda z: z.float().square().mean(), z) == "not float64"
        assert check.verdict(lambda z: z.log().mean(), torch.full((4,), 1e-8)) == "not finite"

    @pytest.mark.parametrize("loss_of", [lambda z: (z - 1).square().mean(), lambda z: (1 - z).relu().mean()])
    def test_a_healthy_loss_has_a_gradient_of_zero_at_perfect_predictions(self, loss_of):
        assert check.verdict(loss_of, torch.ones(4)) == "zero"
        assert check.verdict(loss_of, prediction()) == "ok"

    def test_grad_fn_is_none_if_the_predictions_did_not_require_grad(self):
        assert F.cross_entropy(prediction(), Y).grad_fn is None
        assert F.cross_entropy(prediction().requires_grad_(), Y).grad_fn is not None

    def test_autograd_grad_raises_for_a_cut_loss_and_gives_none_for_a_leaf_if_unused_is_allowed(self):
        z, cut = prediction().requires_grad_(), torch.tensor(1.0)
        for allow in (True, False):
            with pytest.raises(RuntimeError, match=NO_HISTORY):
                torch.autograd.grad(cut, z, allow_unused=allow)
        leaf = torch.tensor(1.0, requires_grad=True)
        assert torch.autograd.grad(leaf, z, allow_unused=True) == (None,)
        with pytest.raises(RuntimeError, match="not have been used"):
            torch.autograd.grad(leaf, z)

    def test_a_straight_through_estimator_fails_gradcheck(self):
        z = prediction(torch.float64).requires_grad_()
        loss_of = lambda z: (z + (z.round() - z).detach()).square().sum()  # noqa: E731
        assert torch.autograd.grad(loss_of(z), z)[0].any()
        assert not torch.autograd.gradcheck(loss_of, (z,), raise_exception=False)

    @pytest.mark.parametrize("factor", [1.05, -1.0, 0.5])
    def test_a_wrong_backward_is_found(self, factor):
        class Wrong(torch.autograd.Function):
            @staticmethod
            def forward(ctx, z):
                return z.clone()

            @staticmethod
            def backward(ctx, gradient):
                return factor * gradient

        assert check.verdict(lambda z: Wrong.apply(z).square().sum(), prediction()).startswith("wrong")

    @pytest.mark.parametrize("positives", [0, 1, 3])
    def test_a_soft_f1_loss_without_positives_is_one_and_flat(self, positives):
        z = torch.randn(5, dtype=torch.float64).requires_grad_()
        y = (torch.arange(5) < positives).double()
        loss = 1 - 2 * (z.sigmoid() * y).sum() / (z.sigmoid().sum() + y.sum()).clamp_min(1e-6)
        (gradient,) = torch.autograd.grad(loss, z)
        assert gradient.all() == (positives > 0)
        assert gradient.any() == (positives > 0)
        assert (loss.item() == 1) == (positives == 0)

    def test_a_term_that_is_a_number_changes_the_loss_and_no_weight(self):
        (without, plain), (number, larger), (tensor, _) = (broken.train(p) for p in ("none", "number", "tensor"))
        assert torch.equal(without, number)
        assert larger > plain + 1
        assert not torch.allclose(without, tensor, atol=1e-2)

    @pytest.mark.parametrize("number", [0.0, 1.0])
    def test_a_scheduler_that_reads_the_loss_reacts_to_the_number(self, number):
        optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=2)
        for step in range(6):
            scheduler.step(1 / (step + 1) + number * step)
        assert (optimizer.param_groups[0]["lr"] < 1) == bool(number)

    def test_one_term_of_a_sum_is_hidden_by_the_other(self):
        z = prediction().requires_grad_()
        loss = F.cross_entropy(z, Y) + z.detach().square().mean()
        assert loss.grad_fn is not None
        (gradient,) = torch.autograd.grad(loss, z)
        assert gradient.any()
        assert check.verdict(lambda z: z.detach().square().mean(), z) == "cut"

    def test_a_small_step_against_the_gradient_lowers_the_loss_and_a_large_one_may_not(self):
        z = prediction(torch.float64).requires_grad_()
        loss = z.square().mean()
        (gradient,) = torch.autograd.grad(loss, z)
        assert (z - 1e-3 * gradient).square().mean() < loss
        assert (z + 1e-3 * gradient).square().mean() > loss
        assert (z - 100 * gradient).square().mean() > loss

    def test_at_a_kink_the_difference_averages_two_slopes(self):
        z = torch.zeros(1, dtype=torch.float64, requires_grad=True)
        assert not torch.autograd.gradcheck(torch.relu, (z,), raise_exception=False)
        assert torch.autograd.gradcheck(torch.relu, (z.detach().add(0.5).requires_grad_(),))

    @pytest.mark.parametrize("shape", [(4,), (3, 2)])
    def test_an_error_about_a_scalar_is_no_cut_graph(self, shape):
        z = torch.randn(shape, requires_grad=True)
        loss = torch.nn.functional.mse_loss(z, torch.zeros(shape), reduction="none")
        with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
            loss.backward()
        loss.mean().backward()
        assert z.grad.any()
        with pytest.raises(RuntimeError, match="does not require grad"):
            loss.detach().mean().backward()

    @pytest.mark.parametrize("n", [3, 8])
    def test_the_check_passes_a_wrong_sign_and_a_wrong_shape(self, n):
        z, y = torch.randn(n, 1, generator=torch.Generator().manual_seed(0)), torch.arange(float(n))
        assert check.verdict(lambda z: -(z[:, 0] - y).square().mean(), z) == "ok"
        assert check.verdict(lambda z: (z - y).square().mean(), z) == "ok"
        assert (z - y).shape == (n, n)
        # The wrong sign prefers a bad prediction. The wrong shape prefers the mean to the right answer.
        assert -(y + 1 - y).square().mean() < -(y - y).square().mean()
        assert (y.mean().expand(n, 1) - y).square().mean() < (y[:, None] - y).square().mean()
