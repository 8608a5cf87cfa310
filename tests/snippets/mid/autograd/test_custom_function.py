"""What docs/mid/autograd/custom-function.md claims, proven beyond the example shown."""

import gc

import pytest
import torch
from torch.autograd import gradcheck, gradgradcheck
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

from warmup.testing import load_snippet

checked = load_snippet("mid/autograd/custom_function_gradcheck.py")
context = load_snippet("mid/autograd/custom_function_context.py")
straight = load_snippet("mid/autograd/custom_function_myth.py")


class Multiply(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return grad * b, grad * a


class TestCustomFunction:
    @pytest.mark.parametrize("returned", [1, 3])
    def test_backward_returns_one_value_per_argument_or_raises(self, returned: int):
        class Scale(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, factor):
                return x * factor

            @staticmethod
            def backward(ctx, grad):
                return tuple([grad] * returned)

        with pytest.raises(RuntimeError, match=rf"incorrect number of gradients \(expected 2, got {returned}\)"):
            Scale.apply(torch.ones(2, requires_grad=True), 3.0).sum().backward()

    @pytest.mark.parametrize(("a", "b"), [((3,), (2, 3)), ((2, 1), (2, 3)), ((1, 1), (4, 1, 3)), ((), (2,))])
    def test_a_gradient_that_sums_to_the_shape_of_the_input_is_summed(self, a: tuple, b: tuple):
        torch.manual_seed(0)
        inputs = [torch.randn(shape).double().requires_grad_() for shape in (a, b)]
        found = torch.autograd.grad(Multiply.apply(*inputs).square().sum(), inputs)
        expected = torch.autograd.grad((inputs[0] * inputs[1]).square().sum(), inputs)
        assert all(torch.allclose(x, y) and x.shape == y.shape for x, y in zip(found, expected, strict=True))

    def test_gradcheck_judges_the_points_that_it_gets(self):
        masked = [checked.function(*checked.CASES[f"relu, grad * (x {sign} 0)"]) for sign in (">", ">=")]
        for points in ([-1.0, 2.0], [0.5, 0.1, -0.1]):
            x = torch.tensor(points).double().requires_grad_()
            assert all(gradcheck(case.apply, x) for case in masked)
        zero = torch.zeros(1).double().requires_grad_()
        slopes = [torch.autograd.grad(case.apply(zero), zero)[0].item() for case in masked]
        assert slopes == [0, 1] and torch.autograd.grad(F.relu(zero), zero)[0].item() == 0

    def test_gradcheck_rejects_a_wanted_gradient_that_is_not_the_true_one(self):
        for points in ([-1.2, 0.3], [5.1, -7.4, 2.2]):
            x = torch.tensor(points).double().requires_grad_()
            assert not gradcheck(straight.RoundSTE.apply, x, raise_exception=False)
            for limit, passes in ((1, False), (4.9, False), (5.1, True), (10, True)):
                clipped = checked.function(lambda x: 5 * x, lambda _, g, limit=limit: (5 * g).clamp(-limit, limit))
                assert gradcheck(clipped.apply, x, raise_exception=False) == passes

    def test_gradcheck_needs_double_precision(self):
        x = torch.randn(5, generator=torch.Generator().manual_seed(0)).requires_grad_()
        with pytest.warns(UserWarning, match="not a double precision"):
            assert not gradcheck(torch.sin, x, raise_exception=False)
        assert gradcheck(torch.sin, x.detach().double().requires_grad_())

    def test_grad_mode_is_off_in_forward_and_on_in_backward_only_with_create_graph(self):
        seen = []

        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                seen.append(torch.is_grad_enabled())
                return 2 * x

            @staticmethod
            def backward(ctx, grad):
                seen.append(torch.is_grad_enabled())
                return 2 * grad

        for create in (False, True):
            x = torch.ones(1, requires_grad=True)
            torch.autograd.grad(Double.apply(x), x, create_graph=create)
        assert seen == [False, False, False, True]
        y = Double.apply(x)
        assert [type(node).__name__ for node, _ in y.grad_fn.next_functions] == ["AccumulateGrad"]

    def test_what_is_kept_on_the_context_is_neither_checked_nor_freed_at_once(self):
        assert context.gradient_after_write(context.OnContext) == "2.0"
        assert context.gradient_after_write(context.Saved) == "RuntimeError"
        gc.freeze()  # what exists already need not be collected: faster
        try:
            assert context.stays_in_memory(context.OnContext) and not context.stays_in_memory(context.Saved)
        finally:
            gc.unfreeze()

    @pytest.mark.parametrize("dirty", [False, True])
    def test_an_input_written_without_mark_dirty_keeps_its_old_history(self, dirty: bool):
        class TwiceInPlace(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                if dirty:
                    ctx.mark_dirty(x)
                return x.mul_(2)

            @staticmethod
            def backward(ctx, grad):
                return 2 * grad

        w = torch.ones(2, requires_grad=True)
        h = w * 1
        TwiceInPlace.apply(h)
        h.sum().backward()
        assert w.grad.tolist() == ([2, 2] if dirty else [1, 1])

    def test_a_clamp_with_a_mask_is_no_straight_through_estimator(self):
        x = torch.linspace(-3, 3, 13)
        assert straight.slopes(straight.ClampSTE.apply, x) == straight.slopes(lambda x: x.clamp(-1, 1), x)
        assert straight.slopes(straight.RoundSTE.apply, x) == [1] * 13
        assert straight.slopes(lambda x: x + (x.round() - x).detach(), x) == [1] * 13

    def test_a_saved_intermediate_makes_the_second_derivative_wrong(self):
        class Sigmoid(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                e = (-x).exp()
                ctx.save_for_backward(e)
                return 1 / (1 + e)

            @staticmethod
            def backward(ctx, grad):
                (e,) = ctx.saved_tensors
                return grad * e / (1 + e) ** 2

        x = torch.tensor([-1.0, 0.5]).double().requires_grad_()
        assert gradcheck(Sigmoid.apply, x)
        assert not gradgradcheck(Sigmoid.apply, x, raise_exception=False)
        assert gradgradcheck(context.Saved.apply, x)

    def test_once_differentiable_raises_only_if_the_incoming_gradient_requires_grad(self):
        class Square(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x

            @staticmethod
            @once_differentiable
            def backward(ctx, grad):
                return 2 * ctx.saved_tensors[0] * grad

        x = torch.ones(2, requires_grad=True)
        (slope,) = torch.autograd.grad(Square.apply(x).sum(), x, create_graph=True)
        assert not slope.requires_grad
        y = Square.apply(x)
        (slope,) = torch.autograd.grad((y * y).sum(), x, create_graph=True)
        with pytest.raises(RuntimeError, match="differentiate twice"):
            slope.sum().backward()
        for function, expected in ((Square.apply, 2), (torch.square, 10)):
            x.grad, y = None, function(x).sum()
            (slope,) = torch.autograd.grad(y, x, create_graph=True)
            (y + slope.square().sum()).backward()
            assert x.grad.tolist() == [expected] * 2, "with the Function last, the penalty is lost"

    def test_what_nobody_needs_is_thrown_away(self):
        x, frozen = torch.ones(2, requires_grad=True), torch.ones(2)
        y = Multiply.apply(x, frozen)
        assert y.grad_fn.needs_input_grad == (True, False)
        y.sum().backward()
        assert x.grad.tolist() == [1, 1] and frozen.grad is None

    def test_torch_func_asks_for_setup_context(self):
        class New(torch.autograd.Function):
            generate_vmap_rule = True

            @staticmethod
            def forward(x):
                return x * x

            @staticmethod
            def setup_context(ctx, inputs, output):
                ctx.save_for_backward(*inputs)

            @staticmethod
            def backward(ctx, grad):
                return 2 * ctx.saved_tensors[0] * grad

        x = torch.arange(6.0).view(2, 3)
        with pytest.raises(RuntimeError, match="setup_context"):
            torch.func.grad(lambda x: context.Saved.apply(x).sum())(x[0])
        assert torch.equal(torch.func.vmap(torch.func.grad(lambda x: New.apply(x).sum()))(x), 2 * x)

    def test_none_added_at_the_end_is_accepted_and_a_gradient_of_a_float_is_not(self):
        for returned, message in (((1, None, None), None), ((1, 1), "different than None at position 2")):

            class Scale(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x, factor):
                    return x * factor

                @staticmethod
                def backward(ctx, grad, returned=returned):
                    return tuple(None if r is None else grad for r in returned)

            y = Scale.apply(torch.ones(2, requires_grad=True), 3.0).sum()
            if message is None:
                y.backward()
            else:
                with pytest.raises(RuntimeError, match=message):
                    y.backward()

    def test_a_straight_through_estimator_passes_where_its_gradient_is_the_true_one(self):
        inside = checked.function(torch.sign, lambda x, grad: grad * (x.abs() <= 1))
        for points, passes in (([-3.0, 2.0], True), ([1.5, 7.0], True), ([-0.5, 0.4], False), ([-3.0, 0.4], False)):
            x = torch.tensor(points).double().requires_grad_()
            assert gradcheck(inside.apply, x, raise_exception=False) == passes

    def test_the_detached_difference_is_exact_for_round_and_not_for_sign(self):
        x = torch.randn(1000, generator=torch.Generator().manual_seed(0)) * 100
        assert torch.equal(x + (x.round() - x), x.round())
        large = torch.tensor(1e10)
        assert large.sign() == 1 and large + (large.sign() - large) == 0

    @pytest.mark.parametrize("materialize", [True, False])
    def test_an_unused_output_hands_on_zeros_or_none(self, materialize: bool):
        seen = []

        class Two(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.set_materialize_grads(materialize)
                return 1 * x, 2 * x.sum()

            @staticmethod
            def backward(ctx, one, two):
                seen.append(two)
                return one

        Two.apply(torch.ones(3, requires_grad=True))[0].sum().backward()
        assert (seen[0] is None) if not materialize else (seen[0].item() == 0 and seen[0].shape == ())

    @pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")
    def test_compile_traces_a_function_without_a_break(self):
        def backend(graph: torch.fx.GraphModule, inputs: list):
            return graph.forward

        x = torch.ones(2, requires_grad=True)
        torch._dynamo.reset()
        y = torch.compile(context.Saved.apply, backend=backend, fullgraph=True)(x)
        y.sum().backward()
        assert torch.allclose(x.grad, y)
