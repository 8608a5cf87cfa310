"""What docs/junior/autograd/no-grad.md claims, proven beyond the example shown."""

import asyncio
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
import torch.utils.checkpoint
from torch import nn

from warmup.testing import load_snippet

live_bytes = load_snippet("senior/behavioral/fixed_a_memory_leak_guard.py")
no_grad = load_snippet("junior/autograd/no_grad_ways.py")
no_grad_memory = load_snippet("junior/autograd/no_grad_memory.py")
no_grad_myth = load_snippet("junior/autograd/no_grad_myth.py")
no_grad_vs_requires_grad_memory = load_snippet("junior/autograd/no_grad_vs_requires_grad_memory.py")


def run(coroutine):
    """What it returns, run in a thread of its own: a grad mode that it leaves behind, and a loop that is running here,
    do not matter there.
    """
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


class TestNoGrad:
    @staticmethod
    def chain(*widths: int) -> nn.Sequential:
        layers = [layer for a, b in zip(widths, widths[1:], strict=False) for layer in (nn.Linear(a, b), nn.ReLU())]
        return nn.Sequential(*layers[:-1])

    @pytest.mark.parametrize("widths", [(3, 5), (7, 11, 2), (4, 8, 16, 8, 1)])
    @pytest.mark.parametrize("samples", [1, 9])
    def test_a_chain_saves_the_input_of_each_linear_layer(self, widths, samples):
        model = self.chain(*widths)
        result, saved = no_grad.saved_for_backward(lambda: model(torch.randn(samples, widths[0])), model)
        assert saved == 4 * samples * sum(widths[:-1])
        assert result.requires_grad

    @pytest.mark.parametrize(("depth", "samples"), [(1, 7), (4, 5)])
    def test_recorded_activations_pile_up_and_without_a_graph_two_are_alive(self, depth, samples):
        model, x = no_grad_memory.mlp(depth, 8), torch.randn(samples, 8)
        one = samples * 8 * 4
        recorded = no_grad_memory.activations(model, x)
        assert recorded == [one * (1 + (layer + 1) // 2) for layer in range(2 * depth)]
        with torch.no_grad():
            free = no_grad_memory.activations(model, x)
        assert free == [one, *[2 * one] * (2 * depth - 1)]
        frozen = no_grad_memory.activations(model.requires_grad_(False), x)
        assert frozen == free

    @pytest.mark.parametrize("named", [False, True])
    def test_a_forward_that_names_its_activations_holds_them_until_it_returns(self, named):
        layers, alive, most = [nn.Linear(4, 4) for _ in range(5)], weakref.WeakSet(), 0
        with torch.no_grad():
            x, kept = torch.ones(1, 4), []
            for layer in layers:
                x = layer(x)
                alive.add(x)
                kept.append(x if named else None)
                most = max(most, len(alive))
        assert most == (5 if named else 1)  # after each layer, its input is gone unless something refers to it

    def test_activations_counts_a_layer_that_returns_its_input_once(self, capsys):
        x = torch.randn(10, 8)
        for layers in ((nn.ReLU(inplace=True),), (nn.Flatten(), nn.Identity())):
            with torch.no_grad():
                curve = no_grad_memory.activations(nn.Sequential(nn.Linear(8, 8), *layers, nn.Linear(8, 8)), x)
            assert curve == [320] * (1 + len(layers)) + [640]
        assert capsys.readouterr().err == ""

    def test_a_nested_sequential_holds_one_more(self):
        def held(model):
            alive, peak = {}, []

            def count(module, inputs, output):
                storage = output.untyped_storage()
                alive[storage._cdata] = storage.nbytes()
                weakref.finalize(storage, alive.pop, storage._cdata)
                peak.append(sum(alive.values()))

            for layer in model.modules():
                if not list(layer.children()):
                    layer.register_forward_hook(count)
            with torch.no_grad():
                model(torch.randn(10, 8))
            return max(peak) // (10 * 8 * 4)

        def block(*parts):
            return nn.Sequential(nn.Linear(8, 8), nn.ReLU(), *parts, nn.Linear(8, 8), nn.ReLU())

        assert held(block()) == 2
        assert held(nn.Sequential(block(), block())) == 3 and held(block(block(block()))) == 4

    def test_a_relu_at_the_end_is_saved_too(self):
        x = torch.randn(16, 8)
        for layers, saved in (((nn.Linear(8, 8),), 8), ((nn.Linear(8, 8), nn.ReLU()), 16)):
            model = nn.Sequential(*layers)
            assert no_grad.saved_for_backward(lambda model=model: model(x), model)[1] == 4 * 16 * saved

    def test_some_float_results_have_no_gradient_and_raise_nothing(self):
        w = torch.ones(3, requires_grad=True)
        for result in (torch.zeros_like(w), torch.rand_like(w), torch.histc(w, bins=3)):
            assert result.is_floating_point() and not result.requires_grad

    def test_functions_that_differentiate_switch_grad_mode_on(self):
        w = torch.tensor([2.0, 3.0])
        with torch.no_grad():
            assert torch.equal(torch.func.grad(lambda w: w.square().sum())(w), 2 * w)
            assert torch.equal(torch.autograd.functional.jacobian(torch.square, w), torch.diag(2 * w))
            assert not torch.is_grad_enabled()

    def test_a_differentiable_optimizer_steps_in_grad_mode(self):
        for differentiable in (False, True):
            w = nn.Parameter(torch.ones(2))
            optimizer = torch.optim.SGD([w], lr=0.1, differentiable=differentiable)
            w.grad = torch.ones(2)
            if differentiable:
                with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
                    optimizer.step()
            else:
                optimizer.step()
                assert torch.allclose(w, torch.full((2,), 0.9))

    def test_the_helper_counts_shared_memory_once_and_no_buffer(self):
        class Halves(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(4, 8)

            def forward(self, x):
                value, gate = self.linear(x).chunk(2, dim=1)
                return value * gate

        x = torch.randn(16, 4)
        for model, size in ((Halves(), 16 * 8 * 4), (nn.BatchNorm1d(4).eval(), 0)):
            assert no_grad_vs_requires_grad_memory.saved_activations(model, x)[1] == size
            assert no_grad_myth.validate(model, x[None], lambda loss: loss)[1] == size + 16 * 4 * 4  # for square()

    def test_an_operation_without_a_derivative_is_recorded_and_backward_raises(self):
        for name, operation in {
            "heaviside": lambda w: torch.heaviside(w, torch.tensor([0.5])),
            "igamma": lambda w: torch.igamma(w, torch.ones(1)),
        }.items():
            result = operation(torch.ones(1, requires_grad=True))
            assert result.requires_grad and result.grad_fn is not None
            with pytest.raises(RuntimeError, match=name):
                result.sum().backward()
            with torch.no_grad():
                assert operation(torch.ones(1, requires_grad=True)).grad_fn is None

    def test_saved_bytes_are_what_stays_alive_and_no_grad_frees(self):
        model, x = self.chain(32, 64, 64, 8), torch.randn(16, 32)
        held = []
        for compute in (lambda: model(x), torch.no_grad()(lambda: model(x))):
            with live_bytes.LiveBytes() as live:
                output = compute()
                held.append(sum(live.sizes.values()))
            del output
        _, saved = no_grad.saved_for_backward(lambda: model(x), model)
        assert held[0] - held[1] == saved - x.nbytes == 2 * 16 * 64 * 4

    def test_counting_neither_changes_the_gradient_nor_keeps_the_graph(self):
        model, x = self.chain(3, 4, 2).append(nn.Softmax(dim=1)), torch.randn(5, 3)
        output, _ = no_grad.saved_for_backward(lambda: model(x), model)
        counted = torch.autograd.grad(output.square().sum(), model[0].weight)[0]
        torch.testing.assert_close(counted, torch.autograd.grad(model(x).square().sum(), model[0].weight)[0])
        output, _ = no_grad.saved_for_backward(lambda: model(x), model)
        output.grad_fn.metadata["probe"] = probe = type("Probe", (), {})()
        probe, output = weakref.ref(probe), None
        assert probe() is None

    @pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode, lambda: torch.set_grad_enabled(False)])
    def test_each_mode_saves_nothing_and_computes_the_same(self, mode):
        model, x = self.chain(6, 5, 4), torch.randn(3, 6)

        def compute():
            with mode():
                return model(x)

        result, saved = no_grad.saved_for_backward(compute, model)
        assert saved == 0 and result.grad_fn is None and not result.requires_grad
        assert torch.equal(result.clone(), model(x).detach())
        assert torch.is_grad_enabled()

    def test_with_frozen_weights_nothing_is_recorded_in_either_mode_until_a_tensor_that_requires_grad_joins(self):
        model, x = self.chain(6, 5, 4).requires_grad_(False), torch.randn(3, 6)
        for compute in (lambda: model(x), torch.no_grad()(lambda: model(x))):
            result, saved = no_grad.saved_for_backward(compute, model)
            assert saved == 0 and not result.requires_grad
        assert (model(x) * torch.ones(4, requires_grad=True)).requires_grad

    def test_results_without_a_derivative_do_not_require_grad(self):
        x = torch.randn(4, requires_grad=True)
        for result in (x.argmax(), x > 0, x.long(), x.isnan(), x.sign().bool()):
            assert not result.requires_grad and result.grad_fn is None

    def test_cutting_after_the_forward_pass_saves_nothing(self):
        model, x = self.chain(6, 5, 4), torch.randn(3, 6)
        _, whole = no_grad.saved_for_backward(lambda: model(x), model)
        for late in (lambda: model(x).detach(), lambda: model(x).argmax(), lambda: model(x.detach())):
            assert no_grad.saved_for_backward(late, model)[1] == whole > 0

    def test_weights_keep_their_flag_inside_and_a_model_built_inside_trains(self):
        with torch.no_grad():
            model = nn.Linear(2, 1)
            assert model.weight.requires_grad
            assert torch.ones(1, requires_grad=True).requires_grad
        model(torch.ones(1, 2)).sum().backward()
        assert model.weight.grad is not None

    def test_the_mode_comes_back_after_an_error(self):
        with pytest.raises(ZeroDivisionError), torch.no_grad():
            raise ZeroDivisionError
        assert torch.is_grad_enabled()

    def test_lazy_work_and_other_threads_are_tracked(self):
        model = nn.Linear(2, 1)
        with torch.no_grad():
            lazy = (model(x) for x in torch.ones(2, 1, 2))
            with ThreadPoolExecutor(1) as pool:
                assert pool.submit(model, torch.ones(1, 2)).result().requires_grad
                assert not pool.submit(torch.no_grad()(model.forward), torch.ones(1, 2)).result().requires_grad
        assert all(output.requires_grad for output in lazy)

    def test_a_block_around_yield_stops_the_callers_training_and_the_decorator_does_not(self):
        teacher, student = nn.Linear(2, 1), nn.Linear(2, 1)

        def in_a_block():
            with torch.no_grad():
                yield teacher(torch.ones(1, 2))

        @torch.no_grad()
        def decorated():
            yield teacher(torch.ones(1, 2))

        def train(targets):
            for target in targets:
                assert not target.requires_grad
                (student(torch.ones(1, 2)) - target).square().sum().backward()

        with pytest.raises(RuntimeError, match="does not require grad"):
            train(in_a_block())
        train(decorated())
        assert student.weight.grad is not None

    @pytest.mark.parametrize("depth", [1, 3])
    @pytest.mark.parametrize("batches", [2, 5, 12])
    def test_without_no_grad_a_validation_loop_needs_two_graphs_however_long_it_is(self, depth, batches):
        model, data = no_grad_myth.mlp(depth, 8), torch.randn(batches, 4, 8)
        one = depth * 4 * 8 * 4
        for keep in (torch.Tensor.item, torch.detach, lambda loss: None):
            assert no_grad_myth.validate(model, data, keep) == (2 * one, 0)
        assert no_grad_myth.validate(model, data, lambda loss: loss) == (batches * one, batches * one)

    def test_a_running_sum_of_losses_keeps_every_graph(self):
        totals = [torch.zeros(())]

        def add(loss):
            totals[0] = totals[0] + loss

        _, after = no_grad_myth.validate(no_grad_myth.mlp(2, 8), torch.randn(6, 4, 8), add)
        assert after == 6 * 2 * 4 * 8 * 4

    @pytest.mark.parametrize("detached", [True, False])
    def test_a_list_of_outputs_keeps_every_graph_unless_they_are_detached(self, detached):
        model, outputs = no_grad_myth.mlp(2, 8), []
        model.register_forward_hook(
            lambda module, inputs, output: outputs.append(output.detach().clone() if detached else output)
        )
        _, after = no_grad_myth.validate(model, torch.randn(6, 4, 8), torch.Tensor.item)
        assert (after >= 6 * 2 * 4 * 8 * 4) == (not detached) and (after == 0) == detached

    @pytest.mark.parametrize("decorator", [torch.no_grad(), torch.no_grad])
    def test_a_decorated_coroutine_is_tracked_and_a_block_around_await_reaches_other_tasks(self, decorator):
        w = torch.ones(2, requires_grad=True)

        @decorator
        async def decorated():
            return (3 * w).requires_grad

        async def block(awaits):
            with torch.no_grad():
                if awaits:
                    await asyncio.sleep(0)
                return (3 * w).requires_grad

        async def other():
            return (3 * w).requires_grad

        async def main(awaits):
            return await decorated(), *await asyncio.gather(block(awaits), other())

        assert run(main(awaits=True)) == (True, False, False)
        assert run(main(awaits=False)) == (True, False, True)

    @pytest.mark.parametrize("overlap", [True, False])
    def test_two_blocks_around_await_that_overlap_leave_grad_mode_off(self, overlap):
        async def block(rounds):
            with torch.no_grad():
                for _ in range(rounds):
                    await asyncio.sleep(0)

        async def main():
            if overlap:
                await asyncio.gather(block(1), block(2))
            else:
                await block(1)
                await block(2)
            return torch.is_grad_enabled()

        assert run(main()) == (not overlap)

    @pytest.mark.parametrize("detached", [True, False])
    def test_a_carried_state_keeps_every_graph_unless_it_is_detached(self, detached):
        def kept(steps):
            cell, state, alive = nn.GRUCell(4, 4), torch.zeros(2, 4), weakref.WeakSet()

            def pack(tensor):
                saved = no_grad_myth.Saved(tensor)
                alive.add(saved)
                return saved

            with torch.autograd.graph.saved_tensors_hooks(pack, lambda saved: saved.tensor):
                for _ in range(steps):
                    state = cell(torch.ones(2, 4), state.detach() if detached else state)
            return len(alive)

        assert (kept(2) == kept(10)) == detached and (kept(10) > 4 * kept(2)) == (not detached)

    def test_with_no_grad_the_same_loop_holds_nothing(self):
        validate = torch.no_grad()(no_grad_myth.validate)
        assert validate(no_grad_myth.mlp(2, 8), torch.randn(6, 4, 8), lambda loss: loss) == (0, 0)

    def test_what_is_saved_grows_with_samples_and_depth_so_there_is_no_fixed_ratio(self):
        def share(depth, width, samples):
            model, batch = no_grad_myth.mlp(depth, width), torch.randn(1, samples, width)
            saved = no_grad_myth.validate(model, batch, lambda loss: loss)[1]
            return saved / (saved + batch.nbytes + sum(p.nbytes for p in model.parameters()))

        assert share(2, 128, 1) < 0.02 < share(2, 128, 64) < share(2, 8, 64) < share(16, 8, 256) < 1
        assert share(16, 8, 256) > 0.85

    def test_an_update_by_hand_needs_no_grad_and_rebinding_loses_the_leaf(self):
        w = torch.ones(3, requires_grad=True)
        w.sum().backward()
        with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
            w -= 0.1 * w.grad
        with torch.no_grad():
            w -= 0.1 * w.grad
        assert w.is_leaf and w.requires_grad
        torch.testing.assert_close(w.detach(), torch.full((3,), 0.9))
        rebound = w - 0.1 * w.grad
        rebound.sum().backward()
        with pytest.warns(UserWarning, match="not a leaf"):
            assert rebound.grad is None

    def test_an_optimizer_steps_in_no_grad_mode(self):
        modes = []

        class Recorder(torch.optim.SGD):
            def _init_group(self, *args, **kwargs):
                modes.append(torch.is_grad_enabled())
                return super()._init_group(*args, **kwargs)

        w = nn.Parameter(torch.ones(1))
        w.sum().backward()
        Recorder([w], lr=0.1).step()
        assert modes == [False]

    def test_targets_from_inference_mode_cannot_be_trained_on_and_those_from_no_grad_can(self):
        teacher, student, x = nn.Linear(2, 1), nn.Linear(2, 1), torch.randn(4, 2)
        for mode in (torch.no_grad, torch.inference_mode):
            with mode():
                target = teacher(x)
            if mode is torch.no_grad:
                nn.functional.mse_loss(student(x), target).backward()
            else:
                with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
                    nn.functional.mse_loss(student(x), target).backward()
                nn.functional.mse_loss(student(x), target.clone()).backward()

    @pytest.mark.parametrize("view", [lambda w: w.view(6), lambda w: w[0], lambda w: w.t(), lambda w: w.flatten()])
    def test_a_view_keeps_the_flag_without_being_recorded_and_other_results_do_not(self, view):
        for base in (torch.ones(2, 3, requires_grad=True), torch.ones(2, 3, requires_grad=True) * 1):
            with torch.no_grad():
                seen, computed = view(base), view(base) * 1
            assert seen.requires_grad and seen.grad_fn is None
            assert not computed.requires_grad
        leaf = torch.ones(2, 3, requires_grad=True)
        with torch.no_grad():
            seen = view(leaf)
        seen.sum().backward()
        assert leaf.grad is None

    @pytest.mark.parametrize("factor", [3.0, 5.0])
    def test_an_in_place_operation_is_not_recorded_and_leaves_grad_fn_as_it_was(self, factor):
        for recorded in (True, False):
            w = torch.ones(3, requires_grad=True)
            y = 2 * w
            node = y.grad_fn
            with torch.set_grad_enabled(recorded):
                y.mul_(factor)
            assert y.requires_grad and (y.grad_fn is node) != recorded
            assert y.tolist() == [2 * factor] * 3
            y.sum().backward()
            assert w.grad.tolist() == [2 * factor if recorded else 2.0] * 3

    def test_no_grad_leaves_dropout_on(self):
        with torch.no_grad():
            assert (nn.Dropout(0.5)(torch.ones(1000)) == 0).any()

    @pytest.mark.parametrize("train", [True, False])
    def test_set_grad_enabled_takes_a_bool_and_without_a_block_it_stays(self, train):
        w = torch.ones(2, requires_grad=True)
        with torch.set_grad_enabled(train):
            assert (w * 2).requires_grad is train
        assert torch.is_grad_enabled()
        try:
            torch.set_grad_enabled(train)
            assert torch.is_grad_enabled() is train and (w * 2).requires_grad is train
        finally:
            torch.set_grad_enabled(True)

    @pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
    def test_gradients_that_are_there_already_stay(self, mode):
        layer = nn.Linear(2, 1)
        layer(torch.ones(1, 2)).sum().backward()
        before = layer.weight.grad.clone()
        with mode():
            layer(torch.ones(3, 2))
            assert torch.equal(layer.weight.grad, before)
        assert torch.equal(layer.weight.grad, before)
