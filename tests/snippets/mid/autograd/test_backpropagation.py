"""What docs/mid/autograd/backpropagation.md claims, proven beyond the example shown."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import nn
from torch.autograd.functional import jacobian
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode

from warmup.testing import load_snippet

batch = load_snippet("mid/autograd/backpropagation_batch.py")
mixed = load_snippet("mid/autograd/backpropagation_broken.py")


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


class TestBackpropagation:
    @pytest.mark.parametrize(("n", "i", "h", "o"), [(1, 2, 3, 1), (7, 5, 4, 3), (16, 3, 8, 1)])
    def test_gradients_by_hand_are_those_of_autograd(self, n: int, i: int, h: int, o: int):
        torch.manual_seed(n)
        model = nn.Sequential(nn.Linear(i, h), nn.ReLU(), nn.Linear(h, o)).double()
        x, target = torch.randn(n, i).double(), torch.randn(n, o).double()
        expected = torch.autograd.grad(F.mse_loss(model(x), target), list(model.parameters()))
        found = batch.gradients(model, x, target)
        assert [g.shape for g in found] == [p.shape for p in model.parameters()]
        assert all(torch.allclose(a, b, rtol=0, atol=1e-12) for a, b in zip(found, expected, strict=True))

    @pytest.mark.parametrize("broken", ["nothing, no rows", "target", "x"])
    def test_gradients_by_hand_of_no_rows_and_of_nan(self, broken: str):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 2))
        n = 0 if broken == "nothing, no rows" else 4
        data = {"x": torch.randn(n, 3), "target": torch.randn(n, 2)}
        if n:
            data[broken][1, 0] = float("nan")
        expected = torch.autograd.grad(F.mse_loss(model(data["x"]), data["target"]), list(model.parameters()))
        found = batch.gradients(model, **data)
        assert all(torch.allclose(a, b, equal_nan=True) for a, b in zip(found, expected, strict=True))

    def test_gradients_by_hand_are_those_of_central_differences(self):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)).double()
        x, target, step = torch.randn(5, 3).double(), torch.randn(5, 2).double(), 1e-6
        found = batch.gradients(model, x, target)
        with torch.no_grad():
            for parameter, gradient in zip(model.parameters(), found, strict=True):
                for value, slope in zip(parameter.view(-1), gradient.reshape(-1), strict=True):
                    value += step
                    above = F.mse_loss(model(x), target)
                    value -= 2 * step
                    below = F.mse_loss(model(x), target)
                    value += step
                    assert abs((above - below) / (2 * step) - slope) < 1e-7

    @pytest.mark.parametrize(("n", "i", "o"), [(1, 2, 2), (4, 3, 5)])
    def test_the_linear_layer_needs_no_jacobian(self, n: int, i: int, o: int):
        x, W, dz = torch.randn(n, i).double(), torch.randn(o, i).double(), torch.randn(n, o).double()
        by_weight = jacobian(lambda W: x @ W.T, W)
        by_input = jacobian(lambda x: x @ W.T, x)
        assert by_weight.numel() == n * o * o * i
        assert torch.allclose(torch.einsum("no,nohi->hi", dz, by_weight), dz.T @ x)
        assert torch.allclose(torch.einsum("no,nomi->mi", dz, by_input), dz @ W)

    def test_backward_approaches_two_forwards_with_depth(self):
        for depth in (1, 2, 8, 32):
            model = nn.Sequential(*(nn.Linear(16, 16) for _ in range(depth)))
            loss = model(torch.randn(4, 16)).sum()
            forward = products(lambda model=model: model(torch.randn(4, 16)))
            assert forward == depth
            assert products(loss.backward) / forward == 2 - 1 / depth

    def test_an_early_update_changes_the_gradient_of_the_layer_before(self):
        assert mixed.gradient_of_W(False) == [[8, 16], [0, 0]]
        assert mixed.gradient_of_W(True) == [[3.2, 6.4], [0, 0]]

    @pytest.mark.parametrize("activation", [nn.ReLU, nn.Tanh, nn.Sigmoid])
    def test_equal_units_stay_equal(self, activation: type[nn.Module]):
        model = nn.Sequential(nn.Linear(3, 4), activation(), nn.Linear(4, 1)).double()
        for parameter in model.parameters():
            nn.init.constant_(parameter, 0.3)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        x = torch.randn(16, 3, generator=torch.Generator().manual_seed(0)).double()
        for _ in range(20):
            optimizer.zero_grad()
            (model(x) - x.square().sum(1, keepdim=True)).square().mean().backward()
            optimizer.step()
        assert torch.allclose(model[0].weight, model[0].weight[:1].expand(4, 3))
        assert (model[0].weight != 0.3).any()

    def test_zero_weights_stop_the_first_layer_only_while_the_last_is_zero(self):
        for activation, moves in ((nn.ReLU(), False), (nn.Sigmoid(), True)):
            model = nn.Sequential(nn.Linear(3, 4), activation, nn.Linear(4, 1))
            for parameter in model.parameters():
                nn.init.zeros_(parameter)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for _ in range(5):
                optimizer.zero_grad()
                (model(torch.ones(2, 3)) - 1).square().mean().backward()
                optimizer.step()
            assert bool(model[0].weight.any()) == moves

    def test_a_unit_that_is_off_for_all_samples_gets_no_gradient(self):
        layer = nn.Linear(2, 2)
        with torch.no_grad():
            layer.bias.copy_(torch.tensor([10.0, -10.0]))
            layer.weight.clamp_(-1, 1)
        layer(torch.rand(8, 2)).relu().sum().backward()
        assert layer.weight.grad[0].all() and not layer.weight.grad[1].any() and layer.bias.grad[1] == 0

    def test_forward_mode_gives_the_slope_along_one_direction(self):
        x, direction = torch.randn(5).double(), torch.randn(5).double()
        value, slope = torch.func.jvp(lambda x: x.sin().sum(), (x,), (direction,))
        assert torch.isclose(slope, x.cos() @ direction) and torch.isclose(value, x.sin().sum())

    def test_forward_mode_keeps_activations_unless_no_grad(self):
        kept, x = [], torch.randn(4, 3)
        for layer in (nn.Linear(3, 2), nn.Sequential(nn.Linear(3, 5), nn.Tanh())):
            for recording in (True, False):
                kept.clear()
                hooks = torch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t) or t, lambda t: t)
                with hooks, torch.set_grad_enabled(recording):
                    _, slope = torch.func.jvp(lambda x, layer=layer: layer(x), (x,), (torch.ones_like(x),))
                assert bool(kept) == recording and slope.any()

    @pytest.mark.parametrize("way", ["in place", "data", "numpy", "step", "fused step"])
    def test_data_numpy_and_fused_steps_hide_an_early_update_from_autograd(self, way: str):
        for size in (2, 3):
            w, v = torch.ones(size, requires_grad=True), torch.ones(size, requires_grad=True)
            loss = (w * v).sum()
            v.grad = torch.full_like(v, -4)
            with torch.no_grad():
                {
                    "in place": lambda v: v.mul_(5),
                    "data": lambda v: v.data.mul_(5),
                    "numpy": lambda v: np.multiply(v.numpy(), 5, out=v.numpy()),
                    "step": lambda v: torch.optim.SGD([v], lr=1.0).step(),
                    "fused step": lambda v: torch.optim.SGD([v], lr=1.0, fused=True).step(),
                }[way](v)
            assert v.tolist() == [5] * size
            if way in ("in place", "step"):
                with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                    loss.backward()
                assert w.grad is None
            else:
                loss.backward()
                assert w.grad.tolist() == [5] * size

    def test_gradcheck_needs_double_precision_for_its_defaults(self):
        class Cube(torch.autograd.Function):
            factor = 3

            @staticmethod
            def forward(ctx, x: torch.Tensor) -> torch.Tensor:
                ctx.save_for_backward(x)
                return x**3

            @staticmethod
            def backward(ctx, g: torch.Tensor) -> torch.Tensor:
                return g * Cube.factor * ctx.saved_tensors[0] ** 2

        x = torch.rand(3, dtype=torch.float64, requires_grad=True)
        assert torch.autograd.gradcheck(Cube.apply, x)
        with pytest.warns(UserWarning, match="not a double precision"):
            assert not torch.autograd.gradcheck(Cube.apply, x.detach().float().requires_grad_(), raise_exception=False)
        Cube.factor = 2
        assert not torch.autograd.gradcheck(Cube.apply, x, raise_exception=False)

    def test_a_square_layer_with_one_sample_hides_two_mistakes(self):
        dz, x = torch.randn(1, 3), torch.randn(1, 3)
        assert (dz.T @ x).shape == (x.T @ dz).shape and torch.equal(dz.sum(0), dz[0])
        assert not torch.allclose(dz.T @ x, x.T @ dz)

    @pytest.mark.parametrize("skip", [True, False])
    def test_a_skip_connection_from_the_input_tells_equal_units_apart(self, skip: bool):
        torch.manual_seed(0)
        x, one, last = torch.randn(8, 3), nn.Linear(3, 3), nn.Linear(3, 1)
        for parameter in (*one.parameters(), *last.parameters()):
            nn.init.constant_(parameter, 0.5)
        sgd = torch.optim.SGD([*one.parameters(), *last.parameters()], lr=0.01)
        for _ in range(3):
            sgd.zero_grad()
            h = one(x).relu()
            (last(h + x if skip else h) - x.square().sum(1, keepdim=True)).square().mean().backward()
            sgd.step()
        assert torch.allclose(one.weight, one.weight[:1].expand(3, 3)) != skip

    def test_dropout_tells_equal_units_apart(self):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5), nn.Linear(4, 1))
        for parameter in model.parameters():
            nn.init.constant_(parameter, 0.5)
        model(torch.randn(3, 3)).sum().backward()
        assert not torch.allclose(model[0].weight.grad, model[0].weight.grad[:1].expand(4, 3))
