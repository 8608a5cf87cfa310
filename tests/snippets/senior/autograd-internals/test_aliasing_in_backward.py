"""What docs/senior/autograd-internals/aliasing-in-backward.md claims, proven beyond the example shown."""

from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from warmup.testing import load_snippet

cost = load_snippet("senior/autograd-internals/aliasing_in_backward_cost.py")

SHARING = {
    "stack and sum": lambda p, q: torch.stack([p, q]).sum(0),
    "unsqueeze": lambda p, q: p[None] + q[None],
    "view": lambda p, q: p.view(-1, 1) + q.view(-1, 1),
}
NOT_SHARING = {
    "p + q": lambda p, q: p + q,
    "sum of a list": lambda p, q: sum([p, q]),
    "p + 3q": lambda p, q: p + 3 * q,
    "one view": lambda p, q: p.view(-1) + q,
}


def doubled(in_place: bool) -> Callable[[torch.Tensor], torch.Tensor]:
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return 2 * x

        @staticmethod
        def backward(ctx, gradient):
            return gradient.mul_(2) if in_place else gradient * 2

    return Double.apply


class TestAliasingInBackward:
    @pytest.mark.parametrize("write", [lambda a: a.mul_(10), torch.Tensor.exp_, lambda a: a.copy_(a.detach() * 2)])
    @pytest.mark.parametrize("to, since", [(3, 1), (2, 2), (4, 0)])
    def test_a_write_into_one_view_gives_the_other_the_history_of_the_base(self, write, to: int, since: int):
        x = torch.tensor([0.1, 0.2, 0.3, 0.4], requires_grad=True)
        base = x * 1
        a, b = base[:to], base[since:]
        before = b.grad_fn
        write(a)
        assert base.grad_fn.name().endswith("CopySlices")
        assert b.grad_fn is not before and b.grad_fn.name() == "AsStridedBackward0"
        assert b.grad_fn.next_functions[0][0] is base.grad_fn
        weight = torch.tensor([1.0, 2.0, 3.0, 4.0])
        (b * weight[since:]).sum().backward()

        y = x.detach().clone().requires_grad_()  # the same without a write
        written = torch.cat([write(y[:to].clone()), y[to:]])
        (written[since:] * weight[since:]).sum().backward()
        assert torch.equal(x.grad, y.grad) and torch.equal(b, written[since:])

    def test_a_view_asked_before_and_after_keeps_its_node_if_nobody_wrote(self):
        base = torch.ones(4, requires_grad=True) * 1
        for view in (base[1:], base.view(2, 2)):
            assert view.grad_fn is view.grad_fn

    @pytest.mark.parametrize("name", [*SHARING, *NOT_SHARING])
    def test_gradients_share_memory_if_both_parameters_receive_views_of_one_tensor(self, name: str):
        add = (SHARING | NOT_SHARING)[name]
        for size in (1, 3):
            p, q = (torch.full((size,), n, requires_grad=True) for n in (1.0, 2.0))
            one = torch.autograd.grad(add(p, q).square().sum(), (p, q))
            one = [g.clone() for g in one]
            for _ in range(2):
                add(p, q).square().sum().backward()
            shared = name in SHARING
            assert (p.grad.data_ptr() == q.grad.data_ptr()) is shared
            factor = 3 if shared else 2
            assert all(torch.allclose(leaf.grad, factor * g) for leaf, g in zip((p, q), one, strict=True))

    @pytest.mark.parametrize("name", [*SHARING, *NOT_SHARING])
    @pytest.mark.parametrize("foreach", [False, True])
    def test_clipping_scales_a_shared_gradient_twice(self, name: str, foreach: bool):
        p, q = (torch.ones(3, requires_grad=True) for _ in range(2))
        (SHARING | NOT_SHARING)[name](p, q).square().sum().backward()
        norm = nn.utils.clip_grad_norm_([p, q], 1.0, foreach=foreach)
        clipped = torch.stack([p.grad.norm(), q.grad.norm()]).norm().item()
        assert clipped == pytest.approx(1 / norm.item() if name in SHARING else 1, rel=1e-4)

    @pytest.mark.parametrize("name", SHARING)
    def test_zeros_that_exist_already_are_not_shared_and_one_call_is_right(self, name: str):
        p, q = (torch.full((3,), n, requires_grad=True) for n in (1.0, 2.0))
        SHARING[name](p, q).square().sum().backward()
        assert p.grad.tolist() == q.grad.tolist() == [6.0] * 3  # one call: right
        p.grad, q.grad = torch.zeros(3), torch.zeros(3)
        for _ in range(2):
            SHARING[name](p, q).square().sum().backward()
        assert p.grad.tolist() == q.grad.tolist() == [12.0] * 3

    @pytest.mark.parametrize("name", [*SHARING, *NOT_SHARING])
    @pytest.mark.parametrize("to_none", [True, False])
    def test_zeroing_in_place_keeps_two_gradients_in_one_memory(self, name: str, to_none: bool):
        p, q = (torch.ones(3, requires_grad=True) for _ in range(2))
        optimizer, found = torch.optim.SGD([p, q], lr=0.0), []
        for _ in range(3):
            optimizer.zero_grad(set_to_none=to_none)
            (SHARING | NOT_SHARING)[name](p, q).square().sum().backward()
            found.append(p.grad[0].item())
            optimizer.step()
        factor = 2 if name in SHARING and not to_none else 1
        assert found[1:] == [factor * found[0]] * 2

    @pytest.mark.parametrize("view", [lambda h: h[:2], lambda h: h.tensor_split(2)[0], lambda h: h.narrow(0, 0, 2)])
    def test_a_view_from_a_node_of_its_own_can_be_written(self, view):
        x = torch.ones(4, requires_grad=True)
        h = x * 1
        view(h).mul_(10)
        h.sum().backward()
        assert x.grad.tolist() == [10, 10, 1, 1]

    @pytest.mark.parametrize(
        "views", [lambda h: h.chunk(2), lambda h: h.split(2), lambda h: h.unbind(), lambda h: tuple(h.view(2, 2))]
    )
    def test_one_of_several_views_of_one_node_cannot_be_written_in_place(self, views):
        h = torch.ones(4, requires_grad=True) * 1
        first = views(h)[0]
        with pytest.raises(RuntimeError, match="returns multiple views"):
            first.mul_(10)
        with torch.no_grad():
            (torch.ones(4) * 1).chunk(2)[0].mul_(10)

    @pytest.mark.parametrize("factor", [10.0, 0.5])
    def test_a_write_through_detach_changes_the_value_and_not_the_gradient(self, factor: float):
        x = torch.ones(4, requires_grad=True)
        h = x * 3
        h.detach().mul_(factor)
        h.sum().backward()
        assert h.tolist() == [3 * factor] * 4 and x.grad.tolist() == [3.0] * 4

        h = x * 3
        saved = (h * h).sum()
        h.detach().mul_(factor)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            saved.backward()

    @pytest.mark.parametrize(
        "loss", [torch.mean, lambda y: y.square().sum(), lambda y: F.cross_entropy(y, torch.tensor([0, 1]))]
    )
    def test_a_formula_that_writes_into_its_gradient_changes_the_other_branch(self, loss):
        found = {}
        for in_place in (False, True):
            x = torch.ones(2, 2, requires_grad=True)
            h = x * 1
            loss(h + doubled(in_place)(h)).backward()
            found[in_place] = x.grad
        assert torch.allclose(found[True], found[False] * 4 / 3)

    @pytest.mark.parametrize("in_place", [False, True])
    def test_gradcheck_does_not_notice_and_alone_the_formula_is_right(self, in_place: bool):
        x = torch.randn(3, dtype=torch.float64, requires_grad=True)
        assert torch.autograd.gradcheck(doubled(in_place), x)
        doubled(in_place)(x).square().sum().backward()
        assert torch.allclose(x.grad, 8 * x)

    def test_with_an_expanded_gradient_it_raises(self):
        for reduce in (torch.sum, lambda y: y.sum(0).sum()):
            h = torch.ones(2, 2, requires_grad=True) * 1
            with pytest.raises(RuntimeError, match="single memory location"):
                reduce(h + doubled(True)(h)).backward()

    @pytest.mark.parametrize("weight", [1.0, 3.0])
    def test_a_hook_that_writes_in_place_reaches_the_other_parameter(self, weight: float):
        reached = []
        for hooked in (0, 1):
            leaves = [torch.zeros(2, requires_grad=True) for _ in range(2)]
            branches = [leaf * weight for leaf in leaves]

            def times_ten(gradient: torch.Tensor) -> None:
                gradient.mul_(10)

            branches[hooked].register_hook(times_ten)
            (branches[0] + branches[1] + 1).square().sum().backward()
            reached.append(leaves[1 - hooked].grad.tolist() == [20.0 * weight] * 2)
        assert any(reached)

    @pytest.mark.parametrize("rows", [2, 5])
    def test_an_expanded_tensor_sums_its_gradient_and_cannot_be_written(self, rows: int):
        x = torch.ones(1, 3, requires_grad=True)
        wide = (x * 1).expand(rows, 3)
        assert wide.stride(0) == 0
        with pytest.raises(RuntimeError, match="single memory location"):
            wide.mul_(2)
        (x * 1).expand(rows, 3).sum().backward()
        assert x.grad.tolist() == [[rows] * 3]

    @pytest.mark.parametrize("rows", [2, 5])
    def test_a_write_into_one_row_of_an_expanded_tensor_changes_all_rows(self, rows: int):
        x = torch.ones(1, 3, requires_grad=True)
        wide = (x * 1).expand(rows, 3)
        wide[0].mul_(2)
        assert wide.tolist() == [[2.0] * 3] * rows
        wide.sum().backward()
        assert x.grad.tolist() == [[2.0 * rows] * 3]

    def test_a_view_from_a_custom_function_cannot_be_written(self):
        class Flat(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x.view(-1)

            @staticmethod
            def backward(ctx, gradient):
                return gradient.view(2, 2)

        for write in (lambda v: v.mul_(2), torch.Tensor.zero_):
            with pytest.raises(RuntimeError, match="created inside a custom Function"):
                write(Flat.apply(torch.ones(2, 2, requires_grad=True) * 1))

    @pytest.mark.parametrize("width", [1, 8])
    def test_the_work_of_a_filled_buffer_is_quadratic_and_that_of_a_stack_linear(self, width: int):
        work = {}
        for build in (cost.filled, torch.stack):
            for steps in (20, 80):
                rows = [torch.full((width,), float(i), requires_grad=True) for i in range(steps)]
                loss = build(rows).square().sum()
                with cost.Written() as seen:
                    loss.backward()
                assert all(torch.equal(row.grad, 2 * row.detach()) for row in rows)
                work[build, steps] = seen.numbers
        assert work[cost.filled, 80] > 12 * work[cost.filled, 20]
        assert work[torch.stack, 80] < 4.5 * work[torch.stack, 20]
        assert work[cost.filled, 80] >= 80 * 80 * width  # a copy of the whole gradient for each row
