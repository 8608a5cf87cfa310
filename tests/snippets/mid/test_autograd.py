"""Every claim that the pages of docs/mid/autograd make, proven beyond the example shown."""

import copy
import gc
import io
import threading
import warnings
import weakref
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import nn
from torch.autograd import gradcheck, gradgradcheck
from torch.autograd.function import once_differentiable
from torch.autograd.functional import jacobian
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint

from warmup.testing import load_snippet

batch = load_snippet("mid/autograd/backpropagation_batch.py")
mixed = load_snippet("mid/autograd/backpropagation_broken.py")
residual = load_snippet("mid/autograd/branching_gradients_residual.py")
more = load_snippet("mid/autograd/loop_order_more.py")
growth = load_snippet("mid/autograd/loop_order_growth.py")
hvp = load_snippet("mid/autograd/backward_vs_grad_hvp.py")
fixes = load_snippet("mid/autograd/multiple_backward_fixes.py")
memory = load_snippet("mid/autograd/multiple_backward_memory.py")
ways = load_snippet("mid/autograd/detach_ways.py")
gan = load_snippet("mid/autograd/detach_gan.py")
graph = load_snippet("mid/autograd/detach_graph.py")
checked = load_snippet("mid/autograd/custom_function_gradcheck.py")
context = load_snippet("mid/autograd/custom_function_context.py")
straight = load_snippet("mid/autograd/custom_function_myth.py")
clip_hooks = load_snippet("mid/autograd/hooks_clip.py")
recorder = load_snippet("mid/autograd/hooks_record.py")
lazy = load_snippet("mid/autograd/inference_mode_broken.py")
in_place_bytes = load_snippet("mid/autograd/in_place_ops_bytes.py")
unrecorded = load_snippet("mid/autograd/in_place_ops_unrecorded.py")
jumps = load_snippet("mid/autograd/dynamic_graphs_jumps.py")

SECOND_TIME = "backward through the graph a second time"


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


class TestBranchingGradients:
    @pytest.mark.parametrize("branches", [2, 3, 10])
    def test_gradients_of_branches_are_summed_and_passed_on_once(self, branches: int):
        x = torch.randn(5, dtype=torch.float64, requires_grad=True)
        h, seen = x.sin(), []
        h.retain_grad()
        h.register_hook(lambda g: seen.append(g.clone()))
        h.grad_fn.register_hook(lambda *_: seen.append("node"))
        sum((h**k).sum() for k in range(1, branches + 1)).backward()
        expected = sum(k * h.detach() ** (k - 1) for k in range(1, branches + 1))
        assert len(seen) == 2 and torch.allclose(seen[0], expected) and torch.equal(h.grad, seen[0])
        assert torch.allclose(x.grad, expected * x.detach().cos())

    def test_the_mirror_of_each_operation(self):
        g = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        a, b = torch.ones(2, requires_grad=True), torch.ones(2, 2, requires_grad=True)
        (a + b).backward(g)
        assert a.grad.tolist() == [4, 6] and torch.equal(b.grad, g)
        for join, parts in ((torch.stack, list(g)), (torch.cat, [torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])])):
            p, q = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
            join((p, q)).backward(g.flatten() if join is torch.cat else g)
            assert torch.equal(p.grad, parts[0]) and torch.equal(q.grad, parts[1])
        p, q = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
        torch.where(torch.tensor([True, False]), p, q).sum().backward()
        assert p.grad.tolist() == [1, 0] and q.grad.tolist() == [0, 1]

    @pytest.mark.parametrize(
        ("optimizer", "options"),
        [
            (torch.optim.AdamW, {}),
            (torch.optim.SGD, {"weight_decay": 0.1}),
            (torch.optim.RMSprop, {"weight_decay": 0.1}),
        ],
    )
    def test_a_zero_gradient_decays_and_none_is_skipped(self, optimizer: type, options: dict):
        for gradient, moves in ((torch.zeros(()), True), (None, False)):
            w = nn.Parameter(torch.tensor(1.0))
            w.grad = gradient
            optimizer([w], lr=0.1, **options).step()
            assert (w.item() != 1) == moves

    @pytest.mark.parametrize("to_none", [True, False])
    def test_a_zero_without_a_path_is_left_by_zero_grad_without_none(self, to_none: bool):
        used, unused = nn.Linear(2, 1), nn.Linear(2, 1)
        adamw = torch.optim.AdamW([*used.parameters(), *unused.parameters()], lr=0.1)
        (used(torch.ones(3, 2)) + unused(torch.ones(3, 2))).sum().backward()
        adamw.zero_grad(set_to_none=to_none)
        before = unused.weight.detach().clone()
        used(torch.ones(3, 2)).sum().backward()
        assert unused.weight.grad is None if to_none else not unused.weight.grad.any()
        adamw.step()
        assert torch.equal(unused.weight, before) == to_none

    @pytest.mark.parametrize("train_heads", [True, False])
    def test_opposite_heads_hold_the_trunk_until_they_are_trained(self, train_heads: bool):
        torch.manual_seed(0)
        x, trunk, a, b = torch.randn(16, 4), nn.Linear(4, 4), nn.Linear(4, 1), nn.Linear(4, 1)
        with torch.no_grad():
            b.weight.copy_(-a.weight)
        trained = (trunk, a, b) if train_heads else (trunk,)
        sgd = torch.optim.SGD([p for part in trained for p in part.parameters()], lr=0.1)
        norms = []
        for _ in range(2):
            h = trunk(x).tanh()
            sgd.zero_grad()
            (a(h).mean() + b(h).mean()).backward()
            norms.append(trunk.weight.grad.norm().item())
            sgd.step()
        assert norms[0] < 1e-6 and (norms[1] > 1e-3) == train_heads

    def test_a_zero_gradient_moves_on_momentum(self):
        w = nn.Parameter(torch.tensor(1.0))
        sgd = torch.optim.SGD([w], lr=0.1, momentum=0.9)
        w.grad = torch.ones(())
        sgd.step()
        before = w.item()
        w.grad = None
        sgd.step()
        assert w.item() == before
        w.grad = torch.zeros(())
        sgd.step()
        assert w.item() < before

    def test_the_gradient_of_a_result_is_kept_only_on_request(self):
        x = torch.ones(3, requires_grad=True)
        h = 2 * x
        h.sum().backward()
        with pytest.warns(UserWarning, match="not a leaf Tensor is being accessed"):
            assert h.grad is None
        h = 2 * x
        assert torch.autograd.grad(h.sum(), h)[0].tolist() == [1, 1, 1]

    def test_autograd_grad_and_an_unused_input(self):
        a, w = torch.ones((), requires_grad=True), torch.ones((), requires_grad=True)
        with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
            torch.autograd.grad(2 * a, [a, w])
        assert torch.autograd.grad(2 * a, [a, w], allow_unused=True)[1] is None
        assert torch.autograd.grad(2 * a, [a, w], materialize_grads=True)[1].item() == 0

    @pytest.mark.parametrize("uses", [2, 3])
    def test_a_weight_is_written_once_unless_checkpoints_are_reentrant(self, uses: int):
        for reentrant, writes in ((None, 1), (False, 1), (True, uses)):
            w, h, seen = torch.full((2,), 2.0, requires_grad=True), torch.ones(2, requires_grad=True), []
            w.register_post_accumulate_grad_hook(seen.append)
            for _ in range(uses):
                h = w * h if reentrant is None else checkpoint(lambda h: w * h, h, use_reentrant=reentrant)  # noqa: B023
            h.sum().backward()
            assert len(seen) == writes and w.grad.tolist() == [uses * 2.0 ** (uses - 1)] * 2

    @pytest.mark.parametrize("retain", [False, True])
    def test_gradients_of_two_losses_on_one_trunk_need_retain_graph(self, retain: bool):
        torch.manual_seed(0)
        trunk, heads = nn.Sequential(nn.Linear(3, 4), nn.Tanh()), [nn.Linear(4, 1) for _ in range(2)]
        h = trunk(torch.randn(5, 3))
        one, two = (head(h).sum() for head in heads)
        assert torch.autograd.grad(one, [*trunk.parameters()], retain_graph=retain)[0].any()
        if retain:
            assert torch.autograd.grad(two, [*trunk.parameters()])[0].any()
            return
        with pytest.raises(RuntimeError, match=SECOND_TIME):
            torch.autograd.grad(two, [*trunk.parameters()])

    def test_views_separate_the_branches(self):
        x = torch.tensor(3.0, requires_grad=True)
        h, seen = 2 * x, {}
        one, two = h.view_as(h), h.view_as(h)
        assert one.data_ptr() == h.data_ptr()
        for name, tensor in (("one", one), ("two", two)):
            tensor.register_hook(lambda g, name=name: seen.update({name: g.item()}))
        (one**2 + 5 * two).backward()
        assert seen == {"one": 12, "two": 5} and x.grad.item() == 34

    def test_residual_connections_keep_the_gradient(self):
        assert residual.gradient_at_input(False, 20) < 1e-3 * residual.gradient_at_input(False, 1)
        assert residual.gradient_at_input(True, 20) >= 1
        h, f = torch.randn(4, requires_grad=True), nn.Linear(4, 4)
        g = torch.randn(4)
        both = torch.autograd.grad(h + f(h), h, g)[0]
        assert torch.allclose(both, g + torch.autograd.grad(f(h), h, g)[0])

    def test_adam_does_not_balance_the_branches(self):
        moved = []
        for weight in (0.0, 1.0):
            w = nn.Parameter(torch.zeros(2))
            adam = torch.optim.Adam([w], lr=0.1)
            (1000 * w[0] + 2000 * w[1] + weight * (w[0] - w[1])).backward()
            adam.step()
            moved.append(w.detach().clone())
        assert torch.allclose(*moved)


class TestDetach:
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
    def test_same_memory_and_no_history(self, dtype: torch.dtype):
        y = torch.randn(3, dtype=dtype, requires_grad=True) * 2
        d = y.detach()
        assert d.data_ptr() == y.data_ptr() and d.grad_fn is None and not d.requires_grad and d.is_leaf
        assert y.grad_fn is not None and y.requires_grad
        d += 1
        assert torch.equal(d, y) and y._version == d._version == 1

    def test_the_detached_factor_is_a_constant(self):
        x = torch.randn(4, dtype=torch.float64, requires_grad=True)
        for attached, cut in ((1, 0), (1, 1), (1, 2), (2, 1), (3, 2)):
            y = x.sin()
            expected = attached * y ** (attached + cut - 1) * x.cos()
            found = torch.autograd.grad((y**attached * y.detach() ** cut).sum(), x)[0]
            assert torch.allclose(found, expected)

    def test_which_ways_share_flow_and_notice(self):
        found = {name: ways.properties(cut) for name, cut in ways.WAYS.items()}
        assert found["y.detach()"] == (False, True, "backward raises")
        assert found["y.data"] == (False, True, "GRADIENT WRONG")
        assert found["y.clone()"] == (True, False, "gradient right")
        assert found["y.detach().clone()"] == (False, False, "gradient right")
        assert ways.properties(lambda y: y.clone().detach()) == (False, False, "gradient right")

    def test_detach_in_the_discriminators_step_matters_if_the_gradient_is_cleared_too_early(self):
        reference, reached = gan.train(True, "before its backward")
        assert not reached
        assert torch.equal(gan.train(True, "after its step")[0], reference)
        weights, reached = gan.train(False, "before its backward")
        assert reached and torch.equal(weights, reference)
        assert not torch.allclose(gan.train(False, "after its step")[0], reference, atol=1e-3)

    @pytest.mark.parametrize("last", [nn.Identity, nn.Tanh])
    def test_one_fake_batch_for_both_steps_raises_without_the_cut(self, last: type[nn.Module]):
        G, D = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 3), last()), nn.Linear(3, 1)
        for cut in (True, False):
            fake = G(torch.randn(4, 2))
            D(fake.detach() if cut else fake).square().mean().backward()
            if cut:
                D(fake).mean().backward()
            else:
                with pytest.raises(RuntimeError, match=SECOND_TIME):
                    D(fake).mean().backward()

    def test_the_discriminators_gradient_does_not_depend_on_the_cut(self):
        torch.manual_seed(0)
        G, D = nn.Sequential(nn.Linear(2, 5), nn.ReLU()), nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 1))
        fake = G(torch.randn(8, 2))
        cut = torch.autograd.grad(D(fake.detach()).mean(), list(D.parameters()))
        whole = torch.autograd.grad(D(fake).mean(), list(D.parameters()))
        assert all(map(torch.equal, cut, whole))
        D(fake.detach()).mean().backward()
        assert all(p.grad is None for p in G.parameters()) and all(p.grad is not None for p in D.parameters())

    def test_an_attached_target_moves_as_well(self):
        net = nn.Linear(3, 1)
        state, following = torch.randn(4, 3), torch.randn(4, 3)
        value, target = net(state), 1 + 0.9 * net(following)
        detached = torch.autograd.grad(F.mse_loss(value, target.detach()), net.weight, retain_graph=True)[0]
        attached = torch.autograd.grad(F.mse_loss(value, target), net.weight)[0]
        residual = (target - value).detach()
        assert torch.allclose(detached, -2 * (residual * state).mean(0), atol=1e-5)
        assert torch.allclose(attached, 2 * (residual * (0.9 * following - state)).mean(0), atol=1e-5)

    def test_truncation_needs_both_states_of_an_lstm(self):
        lstm = nn.LSTM(2, 3)
        for cut, raises in ((lambda h, c: (h.detach(), c.detach()), False), (lambda h, c: (h.detach(), c), True)):
            output, state = lstm(torch.randn(4, 1, 2))
            output.sum().backward()
            again = lstm(torch.randn(4, 1, 2), cut(*state))[0].sum()
            if raises:
                with pytest.raises(RuntimeError, match="backward through the graph a second time"):
                    again.backward()
            else:
                again.backward()

    def test_numpy_needs_it(self):
        with pytest.raises(RuntimeError, match=r"Use tensor.detach\(\).numpy\(\) instead"):
            torch.ones(1, requires_grad=True).numpy()

    @pytest.mark.parametrize("operation", [torch.sigmoid, torch.exp])
    def test_a_write_through_numpy_is_not_noticed(self, operation: Callable[[torch.Tensor], torch.Tensor]):
        for through_numpy in (True, False):
            w = torch.tensor([1.0, 2.0], requires_grad=True)
            y = operation(w)
            if through_numpy:
                y.detach().numpy()[:] = 0
                y.sum().backward()
                assert w.grad.tolist() == [0, 0]  # both keep their output
            else:
                y.detach()[:] = 0
                with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                    y.sum().backward()

    def test_straight_through(self):
        x = torch.tensor([0.2, 1.7], requires_grad=True)
        y = x + (x.round() - x).detach()
        y.sum().backward()
        assert torch.allclose(y, x.round()) and x.grad.tolist() == [1, 1]
        infinite = torch.tensor(float("inf"))
        assert (infinite + (infinite.round() - infinite)).isnan()

    def test_the_picture_draws_each_node_once_and_stops_at_none(self):
        class Axes:
            def __init__(self):
                self.texts = []

            def text(self, x: float, y: float, text: str, **_):
                self.texts.append((text, round(y)))

            def plot(self, *_, **__):
                pass

        a, b = (torch.ones((), requires_grad=True) for _ in range(2))
        axes = Axes()
        graph.draw((a * b.exp().detach() + b).grad_fn, {a: "a", b: "b"}, axes)
        assert axes.texts == [("Add", 0), ("Mul", -1), ("a.grad", -2), ("None", -2), ("b.grad", -1)]


class TestMultipleBackward:
    @pytest.mark.parametrize(
        "operation", [lambda x: x + 1, torch.neg, lambda x: x.cumsum(0), lambda x: x[1:], lambda x: x - x.mean()]
    )
    def test_without_saved_tensors_the_gradient_doubles(self, operation):
        x = torch.randn(3, requires_grad=True)
        loss = operation(x).sum()
        loss.backward()
        first = x.grad.clone()
        loss.backward()
        assert torch.equal(x.grad, 2 * first)

    @pytest.mark.parametrize(
        "operation",
        [lambda x: 2 * x, torch.exp, torch.relu, lambda x: x**2, lambda x: x / 2, nn.Linear(3, 2), nn.Softmax(0)],
    )
    def test_with_saved_tensors_the_second_raises_unless_they_are_retained(self, operation):
        x = torch.randn(3, requires_grad=True)
        loss = operation(x).sum()
        loss.backward()
        with pytest.raises(RuntimeError, match=SECOND_TIME):
            loss.backward()
        x.grad = None
        loss = operation(x).sum()
        loss.backward(retain_graph=True)
        first = x.grad.clone()
        loss.backward()
        assert torch.allclose(x.grad, 2 * first)

    @pytest.mark.parametrize("operation", [lambda x: x + 1, torch.neg])
    def test_a_compiled_function_refuses_a_second_call_without_retain_graph(self, operation):
        for retain in (False, True):
            x = torch.ones(3, requires_grad=True)
            loss = torch.compile(operation, backend="aot_eager")(x).sum()
            loss.backward(retain_graph=retain)
            first = x.grad.clone()
            if retain:
                loss.backward()
                assert torch.equal(x.grad, 2 * first)
            else:
                with pytest.raises(RuntimeError, match=SECOND_TIME):
                    loss.backward()

    def test_all_fixes_give_one_gradient_and_two_visit_the_trunk_once(self):
        names = ("retain_graph", "one sum", "one call, two losses", "forward twice")
        found = [fixes.gradient(name) for name in names]
        assert [values for values, _ in found] == [[4.0, 4.0]] * 4
        assert [visits for _, visits in found] == [2, 1, 1, 2]

    def test_backward_frees_layer_by_layer_and_retain_graph_nothing(self):
        layers = memory.LAYERS
        rise = [float(n) for n in range(layers + 1)]
        assert memory.held(False) == rise + rise[-2::-1]
        assert memory.held(True) == rise + [float(layers)] * layers

    def test_a_failed_backward_leaves_part_of_the_gradients(self):
        a, b = torch.zeros(2, requires_grad=True), torch.zeros(2, requires_grad=True)
        loss = (a.exp() + b.neg()).sum()
        loss.backward()
        with pytest.raises(RuntimeError, match=SECOND_TIME):
            loss.backward()
        assert a.grad.tolist() == [1, 1] and b.grad.tolist() == [-2, -2]

    def test_create_graph_retains(self):
        x = torch.ones(2, requires_grad=True)
        y = (x**3).sum()
        torch.autograd.grad(y, x, create_graph=True)
        y.backward()
        assert x.grad.tolist() == [3, 3]
        y = (x**3).sum()
        torch.autograd.grad(y, x, create_graph=True, retain_graph=False)
        with pytest.raises(RuntimeError, match=SECOND_TIME):
            y.backward()

    @pytest.mark.parametrize("as_attribute", [True, False])
    def test_a_tensor_kept_as_an_attribute_is_not_freed(self, as_attribute: bool):
        class Square(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x: torch.Tensor) -> torch.Tensor:
                if as_attribute:
                    ctx.x = x
                else:
                    ctx.save_for_backward(x)
                return x * x

            @staticmethod
            def backward(ctx, g: torch.Tensor) -> torch.Tensor:
                return 2 * g * (ctx.x if as_attribute else ctx.saved_tensors[0])

        x = torch.ones(2, requires_grad=True)
        loss = Square.apply(x).sum()
        loss.backward()
        if as_attribute:
            loss.backward()
            assert x.grad.tolist() == [4, 4]
        else:
            with pytest.raises(RuntimeError, match=SECOND_TIME):
                loss.backward()

    @pytest.mark.parametrize("trained", ["weight", "bias"])
    def test_a_linear_layer_with_a_trained_weight_has_saved_its_input(self, trained: str):
        layer = nn.Linear(2, 1).requires_grad_(False)
        layer.get_parameter(trained).requires_grad_()
        loss = layer(torch.ones(4, 2)).sum()
        loss.backward()
        if trained == "weight":
            with pytest.raises(RuntimeError, match=SECOND_TIME):
                loss.backward()
        else:
            loss.backward()
            assert layer.bias.grad.item() == 8

    @pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.AdamW])
    def test_a_fused_step_is_not_noticed(self, optimizer: type):
        for fused in (True, False):
            torch.manual_seed(0)
            model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
            made = optimizer(model.parameters(), lr=0.1, fused=fused)
            loss = model(torch.ones(4, 2)).square().mean()
            loss.backward(retain_graph=True)
            old = model[0].weight.grad.clone()
            made.step()
            made.zero_grad()
            if fused:
                loss.backward()
                assert not torch.allclose(model[0].weight.grad, old)  # the second layer's new weight
            else:
                with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                    loss.backward()

    def test_grad_frees_only_what_it_visits(self):
        x = torch.ones(2, requires_grad=True)
        h = x.exp()
        loss = (h * h).sum()
        torch.autograd.grad(loss, h)
        with pytest.raises(RuntimeError, match=SECOND_TIME):
            loss.backward()
        h.sum().backward()
        assert torch.allclose(x.grad, x.detach().exp())

    def test_a_step_in_between_raises_if_a_weight_was_saved(self):
        for layers, raises in ((1, False), (2, True)):
            model = nn.Sequential(*(nn.Linear(2, 2) for _ in range(layers)))
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            loss = model(torch.ones(4, 2)).square().mean()
            loss.backward(retain_graph=True)
            stale = model[0].weight.grad.clone()
            optimizer.step()
            optimizer.zero_grad()
            if raises:
                with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                    loss.backward()
            else:
                loss.backward()
                assert torch.equal(model[0].weight.grad, stale)

    def test_a_state_that_is_carried_over_makes_every_backward_longer(self):
        w, state, visits, counts = torch.tensor(0.5, requires_grad=True), torch.tensor(1.0), [], []
        for _ in range(4):
            state = (w * state).tanh()
            state.grad_fn.register_prehook(lambda _: visits.append(1))
            state.backward(retain_graph=True)
            counts.append(len(visits))
            visits.clear()
        assert counts == [1, 2, 3, 4]

    @pytest.mark.parametrize("cell", [nn.RNNCell, nn.GRUCell])
    def test_a_state_that_is_carried_over_raises_after_a_step(self, cell: type[nn.Module]):
        for detach in (True, False):
            made, state = cell(2, 3), torch.zeros(1, 3)
            sgd = torch.optim.SGD(made.parameters(), lr=0.1)
            for i in range(3):  # the first step has no weight of the state to keep: its state is data
                state = made(torch.ones(1, 2), state.detach() if detach else state)
                if i == 2 and not detach:
                    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                        state.sum().backward(retain_graph=True)
                else:
                    state.sum().backward(retain_graph=True)
                    sgd.step()


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


def run_loop(order: str, optimizer: type, layers: int, steps: int = 6) -> tuple[nn.Module, list[bool]]:
    """A trained model, and whether each step changed its first weight."""
    torch.manual_seed(0)
    model = nn.Sequential(*(nn.Linear(4, 4) for _ in range(layers)))
    made, moved = optimizer(model.parameters(), lr=0.01), []
    for x in torch.randn(steps, 8, 4):
        for call in order.split():
            if call == "forward":
                loss = (model(x) - x.flip(1)).square().mean()
            elif call == "backward":
                loss.backward()
            elif call == "zero":
                made.zero_grad()
            else:
                before = model[0].weight.detach().clone()
                made.step()
                moved.append(not torch.equal(before, model[0].weight))
    return model, moved


class TestLoopOrder:
    @pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.AdamW, torch.optim.RMSprop])
    @pytest.mark.parametrize("layers", [1, 3])
    def test_zero_grad_is_free_between_step_and_backward(self, optimizer: type, layers: int):
        usual, _ = run_loop("zero forward backward step", optimizer, layers)
        for order in ("forward zero backward step", "forward backward step zero"):
            model, _ = run_loop(order, optimizer, layers)
            assert all(map(torch.equal, model.parameters(), usual.parameters()))

    @pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.AdamW, torch.optim.RMSprop])
    @pytest.mark.parametrize("layers", [1, 3])
    def test_between_backward_and_step_it_leaves_the_model_untrained(self, optimizer: type, layers: int):
        for order in ("forward zero step backward", "forward backward zero step", "forward step backward zero"):
            assert not any(run_loop(order, optimizer, layers)[1])

    @pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.AdamW])
    def test_a_step_between_forward_and_backward_raises_if_a_weight_was_saved(self, optimizer: type):
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            run_loop("forward step zero backward", optimizer, layers=2)
        _, moved = run_loop("forward step zero backward", optimizer, layers=1)
        assert moved == [False] + [True] * 5

    def test_without_zero_grad_every_step_updates(self):
        for optimizer in (torch.optim.SGD, torch.optim.AdamW):
            assert run_loop("forward backward step", optimizer, 2, steps=20)[1] == [True] * 20

    def test_a_clip_that_nobody_reads_is_no_clip(self):
        without = more.train("zero forward backward step schedule")
        for order in ("zero forward clip backward step schedule", "zero forward backward step clip schedule"):
            assert torch.equal(more.train(order), without)
        assert not torch.equal(more.train(more.USUAL), without)
        assert torch.equal(more.train("forward backward clip zero step schedule"), more.train(more.USUAL, 0))

    def test_a_scheduler_before_the_step_warns_and_skips_the_first_rate(self):
        weight = nn.Parameter(torch.zeros(1))
        used = {}
        for first in ("step", "schedule"):
            sgd = torch.optim.SGD([weight], lr=1.0)
            scheduler = torch.optim.lr_scheduler.StepLR(sgd, 1, gamma=0.5)
            weight.grad = torch.ones(1)
            used[first] = []
            for i in range(3):
                if first == "schedule":
                    if i == 0:
                        with pytest.warns(UserWarning, match="before `optimizer.step"):
                            scheduler.step()
                    else:
                        scheduler.step()
                used[first].append(sgd.param_groups[0]["lr"])
                sgd.step()
                if first == "step":
                    scheduler.step()
        assert used == {"step": [1.0, 0.5, 0.25], "schedule": [0.5, 0.25, 0.125]}

    def test_the_sum_of_gradients_grows_with_the_signal(self):
        found = {name: growth.growth(*setting, problems=30)[-1] for name, setting in growth.SETTINGS.items()}
        assert found["one batch, repeated"] == pytest.approx(10, rel=1e-4)
        assert found["new batches, labels are noise"] == pytest.approx(10**0.5, rel=0.05)
        assert 7 < found["new batches, clear signal"] < 9.5
        assert found["new batches, labels are noise"] < growth.growth(0.3, 1.0, False, problems=30)[-1] < 8.5

    def test_the_norm_before_backward_is_zero(self):
        model = nn.Linear(2, 1)
        assert nn.utils.clip_grad_norm_(model.parameters(), 1.0) == 0
        model(torch.ones(1, 2)).sum().backward()
        assert nn.utils.clip_grad_norm_(model.parameters(), 1.0) > 0

    @pytest.mark.parametrize("order", ["zero clip backward step", "clip zero backward step"])
    def test_the_norm_before_zero_grad_is_that_of_the_batch_before(self, order: str):
        torch.manual_seed(0)
        model, norms = nn.Linear(2, 1), []
        sgd = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(3):
            for call in order.split():
                if call == "backward":
                    model(torch.ones(1, 2)).square().sum().backward()
                elif call == "clip":
                    norms.append(nn.utils.clip_grad_norm_(model.parameters(), 1.0).item())
                else:
                    sgd.step() if call == "step" else sgd.zero_grad()
        assert [norm > 0 for norm in norms] == [False] + [order.startswith("clip")] * 2

    @pytest.mark.parametrize("start", [0.0, 0.1])
    def test_a_step_at_rate_zero_changes_no_weight(self, start: float):
        model = nn.Linear(2, 1)
        before = model.weight.detach().clone()
        adamw = torch.optim.AdamW(model.parameters(), lr=0.1)
        torch.optim.lr_scheduler.LambdaLR(adamw, lambda epoch: start + epoch / 10)
        model(torch.ones(1, 2)).sum().backward()
        adamw.step()
        assert torch.equal(model.weight, before) == (start == 0)

    def test_each_zero_grad_clears_its_own(self):
        one, two = nn.Linear(2, 2), nn.Linear(2, 1)
        two(one(torch.ones(1, 2))).sum().backward()
        torch.optim.SGD(two.parameters(), lr=0.1).zero_grad()
        assert two.weight.grad is None and one.weight.grad is not None


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


class TestHooks:
    @pytest.mark.parametrize("layer", [lambda: nn.Linear(2, 2), lambda: nn.Conv1d(2, 2, 1)])
    def test_hooks_surround_the_forward_and_the_backward_pass(self, layer: Callable[[], nn.Module]):
        module, seen = layer(), []
        module.register_full_backward_hook(lambda *_: seen.append("backward"))
        module.register_full_backward_pre_hook(lambda *_: seen.append("backward pre"))
        module.weight.register_post_accumulate_grad_hook(lambda _: seen.append("accumulated"))
        module.weight.register_hook(lambda _: seen.append("tensor"))
        module.register_forward_hook(lambda *_: seen.append("forward"))
        module.register_forward_pre_hook(lambda *_: seen.append("forward pre"))
        module(torch.ones(2, 2, requires_grad=True)).sum().backward()
        assert seen[:3] == ["forward pre", "forward", "backward pre"]
        assert seen.index("tensor") < seen.index("accumulated") and set(seen[3:]) == {
            "tensor",
            "accumulated",
            "backward",
        }

    def test_a_full_backward_hook_does_not_wait_for_the_weight(self):
        for requires_grad, there in ((True, True), (False, False)):
            layer, seen = nn.Linear(2, 2), []
            layer.register_full_backward_hook(lambda m, *_, seen=seen: seen.append(m.weight.grad is not None))
            loss = layer(torch.ones(1, 2, requires_grad=requires_grad)).sum()
            if requires_grad:
                loss.backward()
            else:
                with pytest.warns(UserWarning, match="no inputs require gradients"):
                    loss.backward()
            assert seen == [there]

    def test_forward_by_name_and_functional_calls_go_past_module_hooks(self):
        layer, seen = nn.Linear(2, 2), []
        layer.register_forward_hook(lambda *_: seen.append(1))
        layer.register_full_backward_hook(lambda *_: seen.append(2))
        x = torch.ones(1, 2, requires_grad=True)
        layer.forward(x).sum().backward()
        F.linear(x, layer.weight).sum().backward()
        assert seen == []
        with torch.no_grad():
            layer(x)
        assert seen == [1]

    @pytest.mark.parametrize("inplace", [False, True])
    def test_the_recorder_agrees_with_retain_grad_and_leaves_no_hook(self, inplace: bool):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 5), nn.ReLU(inplace), nn.Dropout(0.0), nn.Linear(5, 1))
        x = torch.randn(7, 3)
        with recorder.recorded(model) as found:
            model(x).square().sum().backward()
        h = x
        for name, module in model.named_children():
            h = module.forward(h) if not isinstance(module, nn.ReLU) else F.relu(h)
            h.retain_grad()
            found[name]["kept"] = h
        h.square().sum().backward()
        for values in found.values():
            assert values["rms"] == pytest.approx(values["kept"].square().mean().sqrt().item(), rel=1e-5)
            assert values["gradient"] == pytest.approx(values["kept"].grad.norm().item(), rel=1e-5)
        assert len(found) == 4 and not any(m._forward_hooks for m in model.modules())

    def test_the_recorder_skips_what_is_no_float_tensor_and_cleans_up_after_an_error(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.rnn, self.head = nn.GRU(2, 3), nn.Linear(3, 1)

            def forward(self, x):
                return self.head(self.rnn(x)[0])

        model = Model()
        with torch.no_grad(), recorder.recorded(model) as found:
            model(torch.ones(4, 1, 2))
        assert list(found) == ["head"] and list(found["head"]) == ["rms"]
        with pytest.raises(ZeroDivisionError), recorder.recorded(model):
            raise ZeroDivisionError
        assert not any(m._forward_hooks for m in model.modules())

    @pytest.mark.parametrize("kind", ["hook", "pre_hook"])
    @pytest.mark.parametrize("write", [nn.ReLU(inplace=True), lambda h: h.add_(1)])
    def test_a_write_after_a_full_backward_hook_raises(self, kind: str, write: Callable):
        layer = nn.Linear(2, 2)
        getattr(layer, f"register_full_backward_{kind}")(lambda *_: None)
        with pytest.raises(RuntimeError, match=r"BackwardHookFunction(Backward)? is a view and is being modified"):
            write(layer(torch.ones(1, 2)))

    def test_a_tensor_hook_clamps_each_call_and_not_the_sum(self):
        for calls in (1, 2, 5):
            assert clip_hooks.gradient("tensor hook", calls) == calls
            assert clip_hooks.gradient("accumulated", calls) == clip_hooks.gradient("before step", calls) == 1
        assert clip_hooks.gradient("tensor hook", 1, uses=4) == 1
        assert clip_hooks.gradient("tensor hook", 2, uses=4) == 2

    def test_a_clamp_after_each_call_is_not_one_before_the_step(self):
        ends = {}
        for accumulated in (True, False):
            w = torch.ones(1, requires_grad=True)
            if accumulated:

                def clamp(p: torch.Tensor) -> None:
                    p.grad.clamp_(-1, 1)

                w.register_post_accumulate_grad_hook(clamp)
            for slope in (3.0, 3.0, -2.0):
                (slope * w).sum().backward()
            nn.utils.clip_grad_value_([w], 1.0)
            ends[accumulated] = w.grad.item()
        assert ends == {True: -1, False: 1}

    def test_keeping_outputs_keeps_graphs(self):
        class Marker:
            pass

        for keep, alive in ((lambda y: y, 4), (lambda y: y.detach(), 0)):
            model, kept, markers = nn.Sequential(nn.Linear(2, 2), nn.Tanh()), [], []
            model[1].register_forward_hook(lambda m, a, y, keep=keep, kept=kept: kept.append(keep(y)))
            for _ in range(4):
                y, marker = model(torch.ones(1, 2)), Marker()
                y.grad_fn.metadata["marker"] = marker
                markers.append(weakref.ref(marker))
                y.sum().backward()
                del y, marker
            assert sum(ref() is not None for ref in markers) == alive

    def test_a_dictionary_as_output_warns_and_the_backward_hook_does_not_run(self):
        class Model(nn.Module):
            def forward(self, x):
                return {"y": 2 * x}

        model, seen = Model(), []
        model.register_full_backward_hook(lambda *_: seen.append(1))
        with pytest.warns(UserWarning, match="module output should be a Tensor or a tuple of Tensors"):
            model(torch.ones(1, requires_grad=True))["y"].backward()
        assert seen == []

    def test_the_old_backward_hook_sees_the_last_node(self):
        x, seen = torch.ones(1, 2, requires_grad=True), {}
        for register in ("register_backward_hook", "register_full_backward_hook"):
            model = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 4))
            getattr(model, register)(
                lambda _, inputs, __, register=register: seen.update({register: [tuple(g.shape) for g in inputs]})
            )
            if register == "register_backward_hook":
                with pytest.warns(FutureWarning, match="is deprecated"):
                    model(x).sum().backward()
            else:
                model(x).sum().backward()
        assert seen == {"register_backward_hook": [(4,), (1, 3), (3, 4)], "register_full_backward_hook": [(1, 2)]}

    def test_a_step_in_the_backward_pass_is_the_usual_step(self):
        torch.manual_seed(0)
        model = nn.Sequential(*(nn.Linear(4, 4) for _ in range(4)))
        usual, x, at_once = copy.deepcopy(model), torch.randn(3, 4), []
        optimizers = {p: torch.optim.SGD([p], lr=0.1) for p in model.parameters()}

        def step(parameter: nn.Parameter) -> None:
            at_once.append(sum(p.grad is not None for p in model.parameters()))
            optimizers[parameter].step()
            optimizers[parameter].zero_grad()

        for parameter in model.parameters():
            parameter.register_post_accumulate_grad_hook(step)
        model(x).sum().backward()
        usual(x).sum().backward()
        torch.optim.SGD(usual.parameters(), lr=0.1).step()
        assert all(map(torch.equal, model.parameters(), usual.parameters())) and at_once == [1] * 8

    def test_a_hook_that_is_registered_again_runs_again(self):
        layer, seen = nn.Linear(2, 2), []
        for _ in range(3):
            layer.register_forward_hook(lambda *_: seen.append(1))
            layer(torch.ones(1, 2))
        assert len(seen) == 1 + 2 + 3 and list(layer.state_dict()) == ["weight", "bias"]

    def test_the_recorder_takes_the_last_call_and_half_precision(self):
        layer = nn.Linear(3, 3)
        outputs = []

        def twice(x: torch.Tensor) -> torch.Tensor:
            for _ in range(2):
                x = 5 * layer(x).tanh()
            return x

        handle = layer.register_forward_hook(lambda m, a, y: y.retain_grad() or outputs.append(y))
        with recorder.recorded(layer) as found:
            twice(torch.ones(2, 3)).square().sum().backward()
        handle.remove()
        first, last = (y.grad.norm().item() for y in outputs)
        assert found[""]["gradient"] == pytest.approx(last, rel=1e-5) and abs(first - last) > 1e-3
        identity = nn.Identity()
        with recorder.recorded(identity) as found:
            identity(torch.full((2,), 1000.0).half())
        assert found[""]["rms"] == pytest.approx(1000)

    def test_forward_by_name_still_runs_the_hooks_of_children(self):
        model, seen = nn.Sequential(nn.Linear(2, 2), nn.ReLU()), []
        for name, module in model.named_modules():
            module.register_forward_hook(lambda *_, name=name: seen.append(name))
        model.forward(torch.ones(1, 2))
        assert seen == ["0", "1"]

    @pytest.mark.parametrize("inplace", [False, True])
    def test_a_tensor_hook_on_a_view_does_not_run_if_the_view_is_overwritten(self, inplace: bool):
        for first, shape in (
            (nn.Linear(3, 4), (2, 5, 3)),
            (nn.Unflatten(1, (3, 1)), (2, 3)),
            (nn.Linear(3, 4), (2, 3)),
        ):
            model, x = nn.Sequential(first, nn.ReLU(inplace)), torch.randn(shape).requires_grad_() * 1
            with recorder.recorded(model) as found:
                model(x).sum().backward()
            is_view = first(x)._is_view()
            assert is_view == (isinstance(first, nn.Unflatten) or len(shape) == 3)
            assert ("gradient" in found["0"]) == (not (is_view and inplace)) and "gradient" in found["1"]

    @pytest.mark.parametrize("reentrant", [False, True])
    def test_the_recorder_sees_gradients_under_a_reentrant_checkpoint_only(self, reentrant: bool):
        model, x = nn.Sequential(nn.Linear(3, 4), nn.GELU()), torch.ones(2, 3, requires_grad=True)
        with recorder.recorded(model) as found:
            checkpoint(model, x, use_reentrant=reentrant).sum().backward()
        assert ("gradient" in found["0"]) == reentrant

    def test_a_hook_that_returns_zeros_leaves_the_path_past_the_module(self):
        for past in (0, 1):
            layer, x = nn.Linear(2, 2), torch.ones(1, 2, requires_grad=True)
            layer.register_full_backward_hook(lambda module, inputs, outputs: (0 * inputs[0],))
            (past * x + layer(x)).sum().backward()
            assert x.grad.tolist() == [[past, past]]

    def test_a_deep_copy_has_the_hooks_of_modules_and_not_those_of_parameters(self):
        layer, seen = nn.Linear(2, 2), []
        layer.register_full_backward_hook(lambda *_: seen.append("module"))
        layer.weight.register_hook(lambda _: seen.append("tensor"))
        layer.weight.register_post_accumulate_grad_hook(lambda _: seen.append("accumulated"))
        for model, expected in ((layer, ["accumulated", "module", "tensor"]), (copy.deepcopy(layer), ["module"])):
            seen.clear()
            model(torch.ones(1, 2, requires_grad=True)).sum().backward()
            assert sorted(seen) == expected

    @pytest.mark.parametrize("kind", ["hook", "pre_hook"])
    def test_full_backward_hooks_return_a_tuple(self, kind: str):
        for wrap in (True, False):
            layer, x = nn.Linear(2, 2), torch.ones(1, 2, requires_grad=True)

            def double(module: nn.Module, grads: tuple, *_: tuple, wrap: bool = wrap) -> object:
                return (2 * grads[0],) if wrap else 2 * grads[0]

            getattr(layer, f"register_full_backward_{kind}")(double)
            loss = layer(x).sum()
            if wrap:
                loss.backward()
                assert torch.allclose(x.grad, 2 * layer.weight.sum(0, keepdim=True))
            else:
                with pytest.raises(RuntimeError, match="changed the size of value"):
                    loss.backward()

    def test_keyword_arguments_are_seen_with_kwargs_only(self):
        layer, seen = nn.Linear(2, 2), []
        layer.register_forward_pre_hook(lambda m, args: seen.append(args))
        layer.register_forward_hook(lambda m, args, kwargs, y: seen.append(list(kwargs)), with_kwargs=True)
        layer.register_full_backward_hook(lambda m, inputs, outputs: seen.append(inputs))
        y = layer(input=torch.ones(1, 2, requires_grad=True)).sum()
        with pytest.warns(UserWarning, match="no inputs require gradients"):
            y.backward()
        assert seen == [(), ["input"], ()]

    def test_a_post_accumulate_hook_must_return_none(self):
        w = torch.ones(1, requires_grad=True)
        w.register_post_accumulate_grad_hook(lambda p: p.grad)
        with pytest.raises(RuntimeError, match="should return None"):
            (2 * w).backward()


SAVED = "Inference tensors cannot be saved for backward"


class TestInferenceMode:
    @pytest.mark.parametrize("use", [torch.mul, F.mse_loss, torch.dot, torch.atan2])
    def test_what_is_saved_for_backward_may_be_no_inference_tensor(self, use: Callable):
        w = torch.ones(3, requires_grad=True)
        for mode in (torch.no_grad, torch.inference_mode):
            with mode():
                t = w * 2
            use(w, t.clone()).sum().backward()
            if mode is torch.no_grad:
                use(w, t).sum().backward()
            else:
                with pytest.raises(RuntimeError, match=SAVED):
                    use(w, t)

    @pytest.mark.parametrize("use", [torch.add, torch.sub, lambda w, t: torch.cat([w, t]), lambda w, t: w.add(t)])
    def test_what_saves_nothing_runs(self, use: Callable):
        w = torch.ones(3, requires_grad=True)
        with torch.inference_mode():
            t = w * 2
        use(w, t).sum().backward()
        assert w.grad.tolist() == [1, 1, 1]

    @pytest.mark.parametrize("mode", [torch.enable_grad, torch.no_grad])
    def test_outside_an_inference_tensor_takes_no_write_and_no_flag(self, mode: type):
        with torch.inference_mode():
            t = torch.ones(3)
            t.add_(1)
        with mode():
            for write in (lambda: t.add_(1), lambda: t.copy_(torch.ones(3)), lambda: t.__setitem__(0, 1.0)):
                with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode"):
                    write()
            with pytest.raises(RuntimeError, match="Setting requires_grad=True on inference tensor"):
                t.requires_grad_()
        assert t.clone().requires_grad_().requires_grad
        with pytest.raises(RuntimeError, match="do not track version counter"):
            _ = t._version

    def test_the_memory_decides_what_an_inference_tensor_is(self):
        x = torch.ones(4, requires_grad=True)
        with torch.inference_mode():
            t = x * 2
            assert not x.view(2, 2).is_inference() and not x[1:].is_inference()
            assert t.view(2, 2).is_inference() and t.clone().is_inference()
        assert t.view(2, 2).is_inference() and t.detach().is_inference() and t.float().is_inference()
        assert not any(f(t).is_inference() for f in (torch.clone, torch.Tensor.double, lambda t: t * 1))

    def test_a_write_into_a_normal_tensor_is_counted(self):
        for write in (lambda y: y.add_(1), lambda y: y.view(2).add_(1)):
            y = torch.ones(2, requires_grad=True).exp()
            with torch.inference_mode():
                write(y)
            assert y._version == 1
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                y.sum().backward()

    def test_a_lazy_cache_keeps_the_mode_of_its_first_call(self):
        assert lazy.validate_then_train(torch.no_grad).tolist() == [1, 2, 3, 4]
        with pytest.raises(RuntimeError, match=SAVED):
            lazy.validate_then_train(torch.inference_mode)

    @pytest.mark.parametrize("made", ["constructor", "double"])
    def test_a_weight_made_in_the_block_gets_no_gradient(self, made: str):
        layer = nn.Linear(3, 1)
        with torch.inference_mode():
            layer = nn.Linear(3, 1) if made == "constructor" else layer.double()
        layer(torch.ones(2, 3, dtype=layer.weight.dtype)).sum().backward()
        assert layer.weight.requires_grad and layer.weight.is_inference() and layer.weight.grad is None
        assert layer.bias.grad is not None

    def test_features_and_targets(self):
        head = nn.Linear(3, 2)
        with torch.inference_mode():
            features, labels = torch.randn(4, 3), torch.ones(4).long()
        with pytest.raises(RuntimeError, match=SAVED):
            head(features)
        with pytest.raises(RuntimeError, match=SAVED):
            F.cross_entropy(head(torch.ones(4, 3)), labels)
        head(features.clone()).sum().backward()
        file = io.BytesIO()
        torch.save(features, file)
        file.seek(0)
        for normal in (torch.load(file), torch.from_numpy(features.numpy())):
            head(normal).sum().backward()

    def test_enable_grad_inside_does_not_record(self):
        with torch.inference_mode(), torch.enable_grad():
            x = torch.ones(2, requires_grad=True)
            assert torch.is_grad_enabled() and not (2 * x).requires_grad and not (x * x).requires_grad
        with torch.no_grad(), torch.enable_grad():
            assert (2 * torch.ones(2, requires_grad=True)).requires_grad
        with torch.inference_mode(), torch.inference_mode(False):
            assert (2 * torch.ones(2, requires_grad=True)).requires_grad

    def test_the_mode_belongs_to_a_thread_and_leaves_layers_alone(self):
        seen, norm = [], nn.BatchNorm1d(2)
        with torch.inference_mode():
            thread = threading.Thread(target=lambda: seen.append(torch.is_inference_mode_enabled()))
            thread.start()
            thread.join()
            norm(torch.randn(4, 2))
            assert (F.dropout(torch.ones(1000)) == 0).any()
        assert seen == [False] and norm.num_batches_tracked == 1

    def test_layers_that_save_their_weight_raise_in_the_forward_pass(self):
        x = torch.ones(2, 3)
        with torch.inference_mode():
            two = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
            others = nn.Conv1d(3, 1, 1), nn.LayerNorm(3)
        for layer, at in ((two, x), (others[0], x[..., None]), (others[1], x)):
            with pytest.raises(RuntimeError, match=SAVED):
                layer(at)

    def test_a_cache_that_is_made_before_the_block_stays_normal(self):
        model = lazy.Scaled()
        model.factors = torch.arange(1.0, 5.0)
        with torch.inference_mode():
            model(torch.ones(4))
        model(torch.ones(4)).sum().backward()
        assert model.weight.grad.tolist() == [1, 2, 3, 4]


class TestInPlaceOps:
    @pytest.mark.parametrize(
        ("write", "node"),
        [
            (lambda y: y.add_(1), "AddBackward0"),
            (lambda y: y.exp_(), "ExpBackward0"),
            (lambda y: y.copy_(torch.ones(4)), "CopyBackwards"),
            (lambda y: y[1:].mul_(2), "CopySlices"),
            (lambda y: y.__setitem__(0, 1.0), "CopySlices"),
            (lambda y: y.view(2, 2).sin_(), "CopySlices"),
        ],
    )
    def test_a_write_puts_a_node_on_top_and_raises_the_version(self, write: Callable, node: str):
        w = torch.rand(4, requires_grad=True)
        y = w * 2
        old = y.grad_fn
        write(y)
        assert y.grad_fn.name().split("::")[-1] == node.split("::")[-1] and y._version == 1
        assert old in [edge for edge, _ in y.grad_fn.next_functions] or node == "CopyBackwards"

    @pytest.mark.parametrize("name", ["relu", "exp", "neg", "sin", "square", "log", "sqrt", "tanh", "cos", "abs"])
    def test_the_gradient_is_that_of_the_operation_out_of_place(self, name: str):
        for part in (slice(None), slice(1, 3)):
            w = torch.tensor([0.2, 0.5, 1.5, 2.0]).double().requires_grad_()
            y, z = w * 2, w * 2
            getattr(y[part], name + "_")()
            z = torch.cat([z[: part.start or 0], getattr(z[part], name)(), z[part.stop or 4 :]])
            expected = torch.autograd.grad((z**2).sum(), w)[0]
            assert torch.allclose(torch.autograd.grad((y**2).sum(), w)[0], expected)

    def test_in_place_saves_an_allocation_unless_the_input_is_needed(self):
        for name in ("relu", "exp", "neg", "sigmoid", "tanh", "sqrt"):
            assert in_place_bytes.memory(lambda h, name=name: getattr(h, name)()) == (4000, 4000)
            assert in_place_bytes.memory(lambda h, name=name: getattr(h, name + "_")()) == (0, 4000)
        for name in ("sin", "square", "log", "cos", "abs"):
            assert in_place_bytes.memory(lambda h, name=name: getattr(h, name)()) == (4000, 8000)
            assert in_place_bytes.memory(lambda h, name=name: getattr(h, name + "_")()) == (4000, 8000)

    def test_an_older_view_gets_its_history_from_the_base(self):
        w = torch.ones(4, requires_grad=True)
        y = w * 2
        v, other = y[:2], y.view(2, 2)
        y.mul_(3)
        v.mul_(5)
        assert other.tolist() == [[30, 30], [6, 6]] and v._version == y._version == other._version == 2
        assert torch.autograd.grad(v.sum(), w, retain_graph=True)[0].tolist() == [30, 30, 0, 0]
        assert torch.autograd.grad(other.sum(), w)[0].tolist() == [30, 30, 6, 6]

    def test_a_leaf_refuses_and_no_grad_keeps_it_a_leaf(self):
        w = torch.ones(4, requires_grad=True)
        for write in (lambda: w.add_(1), lambda: w[:2].add_(1), lambda: w.view(2, 2).zero_()):
            with pytest.raises(RuntimeError, match="leaf Variable that requires grad is being used in an in-place"):
                write()
        saved = w.square()
        with torch.no_grad():
            w.add_(1)
        assert w.is_leaf and w.grad_fn is None and w._version == 1
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            saved.sum().backward()

    def test_several_views_of_one_call_refuse_and_a_slice_does_not(self):
        for views in (lambda h: h.chunk(2), lambda h: h.split(2), lambda h: h.unbind()):
            h = torch.ones(4, requires_grad=True) * 1
            with pytest.raises(RuntimeError, match="function that returns multiple views"):
                views(h)[0].mul_(2)
            h[:2].mul_(2)

    def test_an_unrecorded_write_before_saving_gives_a_wrong_gradient(self):
        assert unrecorded.gradient("y.mul_(10)") == 800
        for write in ("under no_grad()", "y.detach()", "y.data"):
            assert unrecorded.gradient(write) == 80
        y = torch.ones(1, requires_grad=True) * 2
        y.data.mul_(10)
        assert y._version == 0
        y.detach().mul_(10)
        assert y._version == 1

    def test_after_which_layers_a_write_is_fine(self):
        x = torch.randn(2, 3, generator=torch.Generator().manual_seed(0))
        for layer, fine in (
            (nn.Linear(3, 3), True),
            (nn.GELU(), True),
            (nn.LayerNorm(3), True),
            (nn.ReLU(), False),
            (nn.Sigmoid(), False),
            (nn.Tanh(), False),
            (nn.Softmax(-1), False),
        ):
            y = layer(x.clone().requires_grad_() * 1)
            y += 1
            if fine:
                y.sum().backward()
            else:
                with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                    y.sum().backward()

    def test_a_buffer_starts_to_require_grad_and_collects_one_node_per_write(self):
        w, buffer, nodes = torch.ones(2, requires_grad=True), torch.zeros(3, 2), 0
        for i in range(3):
            buffer[i] = w * i
        node = buffer.grad_fn
        while node is not None and node.name().endswith("CopySlices"):
            nodes, node = nodes + 1, node.next_functions[0][0]
        assert buffer.requires_grad and nodes == 3
        buffer.sum().backward()
        assert w.grad.tolist() == [3, 3]

    def test_data_may_be_overwritten_and_is_then_other_data(self):
        model = nn.Sequential(nn.ReLU(inplace=True), nn.Linear(3, 1))
        x = torch.tensor([[-1.0, 2.0, -3.0]])
        model(x).sum().backward()
        assert x.tolist() == [[0, 2, 0]]

    def test_leaky_relu_and_elu_save_a_tensor_until_the_backward_pass(self):
        for function in (F.leaky_relu, F.elu):
            assert in_place_bytes.memory(function) == (4000, 8000)
            assert in_place_bytes.memory(lambda h, f=function: f(h, inplace=True)) == (0, 4000)

    def test_without_a_graph_no_write_allocates(self):
        with torch.no_grad():
            for name in ("sin", "square", "log", "relu", "exp"):
                assert in_place_bytes.memory(lambda h, name=name: getattr(h, name + "_")()) == (0, 4000)

    def test_which_writes_are_refused_without_grad_mode(self):
        w = torch.ones(4, requires_grad=True)
        with torch.no_grad():
            for writable in (w, w[:2], w.view(2, 2), (w * 1).chunk(2)[0]):
                writable.add_(1)
            with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
                (w[:1] * 1).expand(4).add_(1)

    @pytest.mark.parametrize("write_base", [False, True])
    @pytest.mark.parametrize("view", [lambda y: y[:2], lambda y: y.view(4), lambda y: y])
    def test_a_hook_on_a_view_does_not_run_after_a_write(self, view: Callable, write_base: bool):
        w, seen = torch.ones(4, requires_grad=True), []
        y = w * 2
        v = view(y)
        v.register_hook(lambda grad: seen.append(grad[0].item()))
        (y if write_base else v).mul_(5)
        v.sum().backward()
        assert seen == ([5] if v is y else []) and w.grad[0] == 10

    @pytest.mark.parametrize(
        ("step", "fine"),
        [
            (lambda b, w: b + w, True),
            (lambda b, w: 2 * b, True),
            (lambda b, w: b * w, False),
            (lambda b, w: b.sin(), False),
        ],
    )
    def test_a_buffer_may_be_read_again_by_what_does_not_save_it(self, step: Callable, fine: bool):
        w, b = torch.ones(2, requires_grad=True), torch.zeros(3, 2)
        b[0] = w
        for i in (1, 2):
            b[i] = step(b[i - 1], w)
        if fine:
            b.sum().backward()
        else:
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                b.sum().backward()


def operations(result: torch.Tensor) -> list[str]:
    """Names of the nodes from a result to its leaf, along the first edges."""
    node, names = result.grad_fn, []
    while node.next_functions:
        names.append(node.name().removesuffix("Backward0"))
        node = node.next_functions[0][0]
    return names


def on_value(x: torch.Tensor) -> torch.Tensor:
    return 2 * x if x.sum() > 0 else -x


def with_cond(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 0, lambda x: 2 * x, lambda x: -x, (x,))


class Wrapped(nn.Module):
    """A function as a module, for export."""

    def __init__(self, function: Callable[[torch.Tensor], torch.Tensor]):
        super().__init__()
        self.function = function

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(x)


def graphs_of(function: Callable, *inputs: torch.Tensor) -> int:
    """Compile a function, compare it with eager at the inputs, and count its graphs."""
    graphs = []

    def backend(graph: torch.fx.GraphModule, inputs: list) -> Callable:
        graphs.append(graph)
        return graph.forward

    torch._dynamo.reset()
    fast = torch.compile(function, backend=backend)
    assert all(torch.equal(fast(x), function(x)) for x in inputs)
    return len(graphs)


class TestDynamicGraphs:
    @pytest.mark.parametrize(("at", "rounds"), [(0.5, 0), (1.5, 1), (3.0, 2), (100.0, 7)])
    def test_each_input_leaves_the_operations_that_ran(self, at: float, rounds: int):
        y = jumps.shrink(torch.tensor(at, requires_grad=True) * 1)
        assert operations(y) == ["Div"] * rounds + ["Mul"]
        value, slope = jumps.value_and_slope(at)
        assert value == at / 2**rounds and slope == 0.5**rounds and 0.5 <= value <= 1

    def test_a_loop_keeps_one_copy_of_its_body_per_round(self):
        for rounds in (1, 5, 20):
            kept, x = [], torch.ones(3, requires_grad=True)
            with torch.autograd.graph.saved_tensors_hooks(lambda t, kept=kept: kept.append(t) or t, lambda t: t):
                for _ in range(rounds):
                    x = x.sin()
            assert len(kept) == len(operations(x)) == rounds

    @pytest.mark.parametrize("compare", [torch.gt, torch.ge, torch.eq, torch.lt])
    def test_a_comparison_has_no_gradient(self, compare: Callable):
        x, threshold = torch.randn(5), torch.zeros(1, requires_grad=True)
        assert not compare(x, threshold).requires_grad
        assert not compare(x, threshold).float().requires_grad
        assert torch.sigmoid(x - threshold).requires_grad

    def test_a_layer_in_the_branch_that_did_not_run_gets_none(self):
        for sign in (1.0, -1.0):
            up, down = nn.Linear(2, 1), nn.Linear(2, 1)
            x = sign * torch.ones(1, 2)
            (up(x) if x.sum() > 0 else down(x)).sum().backward()
            assert (up.weight.grad is None) == (sign < 0) and (down.weight.grad is None) == (sign > 0)

    def test_where_differentiates_both_sides(self):
        guards = {"none": lambda x: x, "clamp": lambda x: x.clamp(min=0), "where": lambda x: torch.where(x > 0, x, 1)}
        for at, safe in ((-1.0, ["clamp", "where"]), (0.0, ["where"])):
            for name, guard in guards.items():
                x = torch.tensor([at, 4.0], requires_grad=True)
                torch.where(x > 0, guard(x).sqrt(), -x).sum().backward()
                assert (not x.grad.isnan().any()) == (name in safe)

    def test_a_comparison_of_a_batch_is_no_condition(self):
        with pytest.raises(RuntimeError, match="more than one value is ambiguous"):
            bool(torch.ones(2) > 0)
        assert bool(torch.ones(1) > 0)

    def test_compile_breaks_at_a_value_and_recompiles_for_a_shape(self):
        ones = torch.ones(2)
        assert graphs_of(on_value, ones, -ones) == 3
        assert graphs_of(with_cond, ones, -ones) == 1
        assert graphs_of(lambda x: 2 * x if x.size(0) > 2 else -x, torch.ones(3), ones) == 2

    def test_a_trace_freezes_the_branch_of_its_example(self):
        for flag in (True, False):
            for function, warns in ((on_value, True), (lambda x, flag=flag: 2 * x if flag else -x, False)):
                example = torch.ones(2) if flag else -torch.ones(2)
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    traced = torch.jit.trace(function, example, check_trace=False)
                assert any(issubclass(w.category, torch.jit.TracerWarning) for w in caught) == warns
                x = -example
                assert torch.equal(traced(x), 2 * x if flag else -x)

    @pytest.mark.parametrize(
        ("other", "fits"),
        [(lambda x: -x, True), (lambda x: 3 * x[:1], True), (lambda x: -x.double(), False), (torch.sum, False)],
    )
    def test_export_takes_cond_if_both_sides_fit(self, other: Callable, fits: bool):
        ones = torch.ones(2)
        model = Wrapped(lambda x: torch.cond(x.sum() > 0, lambda x: 2 * x, other, (x,)))
        if fits:
            exported = torch.export.export(model, (ones,)).module()
            assert torch.equal(exported(ones), 2 * ones) and torch.equal(exported(-ones), other(-ones))
        else:
            with pytest.raises(RuntimeError):
                torch.export.export(model, (ones,))

    def test_export_refuses_a_branch_on_a_value_and_takes_where(self):
        ones = torch.ones(2)
        with pytest.raises(RuntimeError, match="data-dependent"):
            torch.export.export(Wrapped(on_value), (ones,))
        exported = torch.export.export(Wrapped(lambda x: torch.where(x.sum() > 0, 2 * x, -x)), (ones,)).module()
        assert torch.equal(exported(-ones), ones)

    @pytest.mark.parametrize(
        ("number", "known"),
        [
            (lambda x: x.shape[0], True),
            (lambda x: len(x) - 2, True),
            (lambda x: int(x.sum()), False),
            (lambda x: x[x > 0].shape[0], False),
        ],
    )
    def test_a_number_from_values_is_data_dependent_and_a_shape_of_the_input_is_not(
        self, number: Callable, known: bool
    ):
        def function(x: torch.Tensor) -> torch.Tensor:
            return 2 * x if number(x) > 0 else -x

        ones = torch.ones(3)
        assert graphs_of(function, ones, -ones) == (1 if known else 3)
        if known:
            torch.export.export(Wrapped(function), (ones,))
        else:
            with pytest.raises(RuntimeError, match="data-dependent"):
                torch.export.export(Wrapped(function), (ones,))

    @pytest.mark.parametrize("detach", [True, False])
    def test_a_pass_goes_on_with_the_history_of_its_input(self, detach: bool):
        w = torch.ones((), requires_grad=True)
        state = torch.tensor(3.0)
        for steps in (1, 2):
            state = w * (state.detach() if detach else state)
            (slope,) = torch.autograd.grad(state, w, retain_graph=True)
            assert slope == (3 if detach else 3 * steps)

    def test_cond_is_one_node(self):
        x = torch.ones(2, requires_grad=True)
        y = with_cond(x)
        below = [type(node).__name__ for node, _ in y.grad_fn.next_functions if node is not None]
        assert "Cond" in y.grad_fn.name() and below == ["AccumulateGrad"]
        y.sum().backward()
        assert x.grad.tolist() == [2, 2]
