"""What docs/mid/autograd/backward-vs-grad.md claims, proven beyond the example shown."""

from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.autograd.functional import jacobian
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint

from warmup.testing import load_snippet

hvp = load_snippet("mid/autograd/backward_vs_grad_hvp.py")


def products(run: Callable[[], object]) -> int:
    """How many matrix products run; FlopCounterMode imports the compiler and is slower."""

    class Count(TorchDispatchMode):
        found = 0

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # noqa: ANN001, ANN204
            self.found += func in (torch.ops.aten.mm.default, torch.ops.aten.addmm.default)
            return func(*args, **(kwargs or {}))

    with Count() as count:
        run()
    return count.found


class TestBackwardVsGrad:
    def test_grad_returns_and_backward_accumulates(self):
        model = nn.Sequential(nn.Linear(3, 4), nn.GELU(), nn.Linear(4, 1)).double()
        x, parameters = torch.randn(5, 3).double(), list(model.parameters())
        returned = torch.autograd.grad(model(x).mean(), parameters)
        assert all(p.grad is None for p in parameters)
        for times in (1, 2, 3):
            assert model(x).mean().backward() is None
            assert all(torch.allclose(p.grad, times * g) for p, g in zip(parameters, returned, strict=True))

    def test_grad_of_an_intermediate_visits_neither_what_lies_behind_nor_a_side_branch(self):
        x, other = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
        h, side, visited = x.exp(), other.sin(), []
        h.grad_fn.register_prehook(lambda _: visited.append("behind"))
        side.grad_fn.register_prehook(lambda _: visited.append("side"))
        loss = (h * side).sum()
        (g,) = torch.autograd.grad(loss, h, retain_graph=True)
        assert torch.allclose(g, side) and visited == []
        torch.autograd.grad(loss, x, retain_graph=True)
        assert visited == ["behind"]
        loss.backward()
        assert sorted(visited) == ["behind", "behind", "side"]

    @pytest.mark.parametrize("activation", [nn.Tanh, nn.GELU, nn.Sigmoid])
    def test_the_product_is_that_of_the_whole_hessian(self, activation: type[nn.Module]):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(2, 3), activation(), nn.Linear(3, 1)).double()
        x, y = torch.randn(6, 2).double(), torch.randn(6, 1).double()
        parameters = dict(model.named_parameters())
        vector = [torch.randn_like(p) for p in parameters.values()]

        def loss(*values: torch.Tensor) -> torch.Tensor:
            return F.mse_loss(torch.func.functional_call(model, dict(zip(parameters, values, strict=True)), x), y)

        blocks = torch.autograd.functional.hessian(loss, tuple(parameters.values()))
        expected = [
            sum(torch.tensordot(block, v, v.dim()) for block, v in zip(row, vector, strict=True)) for row in blocks
        ]
        found = hvp.hessian_vector_product(loss(*parameters.values()), list(parameters.values()), vector)
        assert all(torch.allclose(a, b) for a, b in zip(found, expected, strict=True))
        assert all(p.grad is None for p in parameters.values())

    def test_the_product_leaves_the_graph_of_the_loss(self):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1))
        for loss in (model(torch.randn(4, 3)).square().mean(), F.softplus(model(torch.randn(4, 3))).mean()):
            parameters = list(model.parameters())
            vector = [torch.ones_like(p) for p in parameters]
            first, again = (hvp.hessian_vector_product(loss, parameters, vector) for _ in range(2))
            assert all(map(torch.equal, first, again))
            loss.backward()

    def test_the_second_backward_approaches_three_of_the_first(self):
        ratios = []
        for depth in (2, 16):
            model = nn.Sequential(*(m for _ in range(depth) for m in (nn.Linear(8, 8), nn.Tanh())))
            loss, parameters, found = model(torch.randn(4, 8)).square().mean(), list(model.parameters()), []
            first = products(lambda: found.extend(torch.autograd.grad(loss, parameters, create_graph=True)))  # noqa: B023
            dot = sum((g * torch.ones_like(g)).sum() for g in found)
            ratios.append(products(lambda: torch.autograd.grad(dot, parameters)) / first)  # noqa: B023
        assert 2 < ratios[0] < ratios[1] < 3 and ratios[1] > 2.85

    @pytest.mark.parametrize("mode", [torch.enable_grad, torch.no_grad, torch.inference_mode])
    def test_the_product_does_not_depend_on_the_grad_mode(self, mode: type):
        w = torch.tensor([1.0, 2.0], requires_grad=True)
        for power in (2, 3):
            loss, vector = (w**power).sum(), [torch.tensor([1.0, 3.0])]
            with mode():
                (found,) = hvp.hessian_vector_product(loss, [w], vector)
            assert torch.allclose(found, power * (power - 1) * w.detach() ** (power - 2) * vector[0])

    def test_the_product_of_what_is_linear_or_unused_is_zero(self):
        w, unused = torch.ones(3, requires_grad=True), torch.ones(2, requires_grad=True)
        vector = [torch.ones(3), torch.ones(2)]
        for loss in ((2 * w).sum(), (w * torch.arange(3.0)).sum()):
            found = hvp.hessian_vector_product(loss, [w, unused], vector)
            assert [v.tolist() for v in found] == [[0, 0, 0], [0, 0]]
        found = hvp.hessian_vector_product((w**2).sum(), [w, unused], vector)
        assert [v.tolist() for v in found] == [[2, 2, 2], [0, 0]]
        with pytest.raises(ValueError, match="shorter"):
            hvp.hessian_vector_product((w**2).sum(), [w], vector[:0])

    def test_a_penalty_needs_create_graph(self):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(2, 8), nn.Softplus(), nn.Linear(8, 1))
        x = torch.randn(16, 2, requires_grad=True)
        found = {}
        for create in (False, True):
            (slope,) = torch.autograd.grad(model(x).sum(), x, create_graph=create)
            assert (slope.grad_fn is not None) == create
            loss = model(x).mean() + 10 * slope.square().mean()
            found[create] = torch.autograd.grad(loss, model[0].weight)[0]
        plain = torch.autograd.grad(model(x).mean(), model[0].weight)[0]
        assert torch.equal(found[False], plain) and not torch.allclose(found[True], plain)
        (slope,) = torch.autograd.grad(model(x).sum(), x)
        with pytest.raises(RuntimeError, match="does not require grad"):
            slope.square().mean().backward()

    @pytest.mark.parametrize("wanted", ["leaf", "itself"])
    def test_grad_fills_what_retain_grad_was_called_on(self, wanted: str):
        x = torch.ones(2, requires_grad=True)
        h = 3 * x
        h.retain_grad()
        loss = (h**2).sum()
        torch.autograd.grad(loss, x if wanted == "leaf" else h, retain_graph=True)
        assert h.grad.tolist() == [6, 6] and x.grad is None
        loss.backward()
        assert h.grad.tolist() == [12, 12]

    def test_only_backward_runs_hooks_after_accumulation(self):
        x, seen = torch.ones(2, requires_grad=True), []
        x.register_hook(lambda _: seen.append("tensor"))
        x.register_post_accumulate_grad_hook(lambda _: seen.append("accumulated"))
        torch.autograd.grad((x**2).sum(), x)
        assert seen == ["tensor"]
        (x**2).sum().backward()
        assert seen == ["tensor", "tensor", "accumulated"]

    def test_inputs_fills_an_intermediate_tensor_without_retain_grad(self):
        x = torch.ones(2, requires_grad=True)
        h = x.exp()
        (3 * h).sum().backward(inputs=[h])
        assert h.grad.tolist() == [3, 3] and x.grad is None

    @pytest.mark.parametrize("size", [2, 5])
    def test_several_outputs_need_a_vector_and_give_its_product_with_the_jacobian(self, size: int):
        torch.manual_seed(size)
        x, W = torch.randn(3, dtype=torch.float64, requires_grad=True), torch.randn(size, 3).double()
        v = torch.randn(size).double()
        for call in (lambda y: y.backward(), lambda y: torch.autograd.grad(y, x)):
            with pytest.raises(RuntimeError, match="only for scalar outputs"):
                call((W @ x).exp())
        for shape in ((), (1,), (1, 1)):
            (one,) = torch.autograd.grad((W[:1] @ x).exp().view(shape), x)
            assert torch.allclose(one, torch.autograd.grad((W[0] @ x).exp(), x)[0])
        expected = v @ jacobian(lambda x: (W @ x).exp(), x.detach())
        assert torch.allclose(torch.autograd.grad((W @ x).exp(), x, grad_outputs=v)[0], expected)
        (W @ x).exp().backward(v)
        assert torch.allclose(x.grad, expected)

    @pytest.mark.parametrize("randomness", ["error", "same", "different"])
    def test_gradients_of_samples_with_dropout_need_randomness(self, randomness: str):
        drop = nn.Dropout(0.5)
        each = torch.func.vmap(torch.func.grad(lambda x: drop(x).sum()), randomness=randomness)
        if randomness == "error":
            with pytest.raises(RuntimeError, match="random operation"):
                each(torch.ones(4, 64))
        else:
            rows = each(torch.ones(4, 64))
            assert torch.equal(rows, rows[:1].expand(4, 64)) == (randomness == "same")

    def test_backward_with_create_graph_warns(self):
        x = torch.ones(2, requires_grad=True)
        with pytest.warns(UserWarning, match="create a reference cycle"):
            (x**2).sum().backward(create_graph=True)
        x.grad = None

    def test_reentrant_checkpointing_does_not_support_grad(self):
        layer, x = nn.Linear(2, 2), torch.ones(1, 2, requires_grad=True)
        with pytest.raises(RuntimeError):
            torch.autograd.grad(checkpoint(layer, x, use_reentrant=True).sum(), layer.weight)
        assert torch.autograd.grad(checkpoint(layer, x, use_reentrant=False).sum(), layer.weight)[0].shape == (2, 2)

    @pytest.mark.parametrize(("w", "x", "strength"), [(2.0, 3.0, 10.0), (-1.5, 4.0, 2.0)])
    def test_the_penalty_of_the_program_adds_its_gradient_only_with_create_graph(
        self, w: float, x: float, strength: float
    ):
        for create, expected in ((False, x), (True, x + 2 * strength * w)):
            weight, point = torch.tensor(w, requires_grad=True), torch.tensor(x, requires_grad=True)
            output = weight * point
            (slope,) = torch.autograd.grad(output, point, create_graph=create, retain_graph=True)
            loss = output + strength * slope**2
            loss.backward()
            assert loss.item() == w * x + strength * w**2 and weight.grad.item() == expected

    @pytest.mark.parametrize("frozen", [0, 1])
    def test_backward_skips_a_frozen_parameter_and_grad_raises_if_it_is_named(self, frozen: int):
        layer = nn.Linear(3, 2)
        parameters = list(layer.parameters())
        parameters[frozen].requires_grad_(False)
        with pytest.raises(RuntimeError, match="does not require grad"):
            torch.autograd.grad(layer(torch.ones(4, 3)).sum(), parameters)
        layer(torch.ones(4, 3)).sum().backward()
        assert [p.grad is None for p in parameters] == [number == frozen for number in range(2)]

    @pytest.mark.parametrize("before", [None, 5.0])
    def test_an_input_without_a_path_raises_in_grad_and_keeps_its_grad_in_backward(self, before: float | None):
        x, apart = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
        apart.grad = None if before is None else torch.full((3,), before)
        with pytest.raises(RuntimeError, match="appears to not have been used"):
            torch.autograd.grad((x**2).sum(), [x, apart])
        assert torch.autograd.grad((x**2).sum(), [x, apart], allow_unused=True)[1] is None
        assert torch.autograd.grad((x**2).sum(), [x, apart], materialize_grads=True)[1].tolist() == [0, 0, 0]
        (x**2).sum().backward()
        assert apart.grad is None if before is None else apart.grad.tolist() == [before] * 3

    @pytest.mark.parametrize("power", [2, 3])
    def test_either_call_raises_the_second_time_on_one_graph_unless_it_was_kept(self, power: int):
        for first in (False, True):
            for call in (lambda loss, x, **keep: loss.backward(**keep), torch.autograd.grad):
                x = torch.full((2,), 3.0, requires_grad=True)
                loss = (x**power).sum()
                call(loss, x, retain_graph=first)
                if first:
                    call(loss, x)
                else:
                    with pytest.raises(RuntimeError, match="a second time"):
                        call(loss, x)

    @pytest.mark.parametrize("power", [2, 3])
    def test_after_create_graph_the_graph_is_still_there(self, power: int):
        x = torch.full((2,), 3.0, requires_grad=True)
        loss = (x**power).sum()
        (first,) = torch.autograd.grad(loss, x, create_graph=True)
        (again,) = torch.autograd.grad(loss, x)
        assert torch.equal(first, again)

    @pytest.mark.parametrize("reduction", ["mean", "sum"])
    def test_grad_returns_one_gradient_for_the_whole_batch(self, reduction: str):
        w, x, y = torch.ones(3, requires_grad=True), torch.randn(5, 3), torch.randn(5)
        (whole,) = torch.autograd.grad(F.mse_loss(x @ w, y, reduction=reduction), w)
        each = torch.stack([torch.autograd.grad((row @ w - one) ** 2, w)[0] for row, one in zip(x, y, strict=True)])
        assert torch.allclose(whole, getattr(each, reduction)(0), atol=1e-5)

    @pytest.mark.parametrize("shape", [(1, 2, 4, 8), (2, 1, 3, 16)])
    def test_fused_attention_has_a_second_derivative_only_in_its_math_version(self, shape: tuple[int, ...]):
        q = torch.randn(shape, requires_grad=True)
        (g,) = torch.autograd.grad(F.scaled_dot_product_attention(q, q, q).sum(), q, create_graph=True)
        with pytest.raises(RuntimeError, match="not implemented"):
            torch.autograd.grad(g.square().sum(), q)
        with sdpa_kernel(SDPBackend.MATH):
            attended = F.scaled_dot_product_attention(q, q, q)
        (g,) = torch.autograd.grad(attended.square().sum(), q, create_graph=True)
        assert torch.autograd.grad(g.square().sum(), q)[0].shape == shape
