"""What docs/senior/autograd-internals/graph-deallocation.md claims, proven beyond the example shown."""

import gc
import weakref
from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint

from warmup.testing import load_snippet

holders = load_snippet("senior/autograd-internals/graph_deallocation_holders.py")
plot = load_snippet("senior/autograd-internals/graph_deallocation_plot.py")


class Ledger:
    """Counts the bytes of the distinct memory that graphs hold, `ours` excluded."""

    def __init__(self, *ours: torch.Tensor):
        self.boxes, self.ours = weakref.WeakSet(), {t.untyped_storage().data_ptr() for t in ours}
        self.peak = 0

    def __enter__(self):
        ledger = self

        class Box:
            def __init__(self, tensor: torch.Tensor):
                self.tensor = tensor.detach()  # an output itself would keep its own node
                ledger.boxes.add(self)
                ledger.peak = max(ledger.peak, ledger.held())

        self.hooks = saved_tensors_hooks(Box, lambda box: box.tensor)
        self.hooks.__enter__()
        return self

    def __exit__(self, *exception):
        self.hooks.__exit__(*exception)

    def held(self) -> int:
        storages = {s.data_ptr(): s.nbytes() for s in (box.tensor.untyped_storage() for box in self.boxes)}
        return sum(size for pointer, size in storages.items() if pointer not in self.ours)


class Allocated(TorchDispatchMode):
    """Counts the bytes of all storages that operations make, and their peak."""

    def __init__(self):
        super().__init__()
        self.now = self.peak = 0
        self.seen = weakref.WeakSet()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        for tensor in result if isinstance(result, tuple | list) else [result]:
            if isinstance(tensor, torch.Tensor) and tensor.untyped_storage() not in self.seen:
                storage = tensor.untyped_storage()
                self.seen.add(storage)
                self.now += storage.nbytes()
                weakref.finalize(storage, self.freed, storage.nbytes())
        self.peak = max(self.peak, self.now)
        return result

    def freed(self, size: int) -> None:
        self.now -= size


def mlp(depth: int, activation: type[nn.Module]) -> nn.Sequential:
    return nn.Sequential(*[nn.Sequential(nn.Linear(8, 8), activation()) for _ in range(depth)])


class TestGraphDeallocation:
    @pytest.mark.parametrize("depth", [2, 4])
    @pytest.mark.parametrize("activation", [nn.Sigmoid, nn.GELU, nn.Tanh])
    def test_saved_bytes_fall_layer_by_layer_while_the_loss_is_alive(self, depth: int, activation: type[nn.Module]):
        model, x, found = mlp(depth, activation), torch.randn(16, 8), []
        with Ledger(x, *model.parameters()) as ledger:
            loss = model(x).sum()
        for layer in model:
            layer[0].weight.register_post_accumulate_grad_hook(lambda _: found.append(ledger.held()))
        found.append(ledger.held())
        loss.backward()
        assert all(a > b for a, b in zip(found, found[1:], strict=False)) and len(found) == depth + 1
        assert found[-1] == 0 and loss.grad_fn is not None

    @pytest.mark.parametrize("depth", [2, 4])
    def test_the_nodes_stay_until_the_last_reference_is_gone(self, depth: int):
        model, x = mlp(depth, nn.Tanh), torch.randn(4, 8)
        loss = model(x).sum()
        freed: list[bool] = []
        hidden = loss.grad_fn.next_functions[0][0]
        hidden.metadata["alive"] = alive = type("Alive", (), {})()
        weakref.finalize(alive, freed.append, True)
        del alive, hidden
        loss.backward()
        assert not freed
        other = loss
        del loss
        assert not freed
        del other
        assert freed

    @pytest.mark.parametrize("depth", [2, 4])
    def test_retain_graph_keeps_all_until_the_loss_is_gone(self, depth: int):
        model, x = mlp(depth, nn.Sigmoid), torch.randn(16, 8)
        with Ledger(x, *model.parameters()) as ledger:
            loss = model(x).sum()
        full = ledger.held()
        loss.backward(retain_graph=True)
        assert ledger.held() == full > 0
        loss.item()
        assert ledger.held() == full
        del loss
        assert ledger.held() == 0

    @pytest.mark.parametrize("depth", [2, 4])
    @pytest.mark.parametrize("fix", ["", "del", "function", "backward"])
    def test_a_skipped_batch_doubles_the_peak_unless_the_loss_is_dropped(self, depth: int, fix: str):
        model, x = mlp(depth, nn.Sigmoid), torch.randn(16, 8)
        with Ledger(x, *model.parameters()) as ledger:
            model(x).sum()
            full, ledger.peak = ledger.peak, 0

            def step(skipped: bool) -> None:
                loss = model(x).sum()
                if not skipped:
                    loss.backward()

            for skipped in (True, False):
                if fix == "function":
                    step(skipped)
                    continue
                loss = model(x).sum()
                if skipped and fix != "backward":
                    if fix == "del":
                        del loss
                    continue
                loss.backward()
        assert ledger.peak == (full if fix else 2 * full)

    @pytest.mark.parametrize("mode", [torch.enable_grad, torch.no_grad])
    def test_validation_without_no_grad_holds_two_graphs_at_once_and_does_not_grow(self, mode):
        model, x = mlp(3, nn.Sigmoid), torch.randn(16, 8)
        with Ledger(x, *model.parameters()) as ledger, mode():
            peaks = []
            for _ in range(4):
                ledger.peak = 0
                loss = model(x).sum()
                peaks.append(ledger.peak)
        assert not loss.requires_grad or loss.grad_fn
        one = peaks[0]
        assert peaks[1:] == [2 * one] * 3 and (one > 0) == (mode is torch.enable_grad)

    def test_what_is_kept_keeps_the_part_of_the_graph_before_it(self):
        found = {
            "last": lambda loss, first, last: last,
            "part": lambda loss, first, last: last[:1, None],
            "list": lambda loss, first, last: [loss],
            "middle": lambda loss, first, last: last.grad_fn.next_functions[0][0],
            "grad": lambda loss, first, last: torch.autograd.grad(loss, first)[0],
            "float": lambda loss, first, last: loss.tolist(),
            "both": lambda loss, first, last: (loss.backward(retain_graph=True), loss),
        }
        assert {name: holders.held_by(keep) for name, keep in found.items()} == {
            "last": 3, "part": 3, "list": 3, "middle": 2, "grad": 0, "float": 0, "both": 3,
        }  # fmt: skip

    @pytest.mark.parametrize("batch, width, late", [(4, 128, True), (512, 32, False)])
    def test_all_memory_peaks_in_backward_and_not_at_the_end_of_forward(self, batch: int, width: int, late: bool):
        model = nn.Sequential(*[nn.Sequential(nn.Linear(width, width), nn.Tanh()) for _ in range(6)])
        x = torch.randn(batch, width)
        with Allocated() as allocated:
            loss = model(x).sum()
            after_forward, allocated.peak = allocated.now, 0
            loss.backward()
        assert allocated.peak > 1.05 * after_forward
        assert (allocated.now > 1.5 * after_forward) is late  # all gradients
        assert (allocated.now > 0.95 * allocated.peak) is late

    @pytest.mark.parametrize("reentrant", [True, False])
    def test_with_checkpoints_the_graph_grows_in_backward_before_it_falls(self, reentrant: bool):
        model, x, found = mlp(4, nn.Tanh), torch.randn(64, 8, requires_grad=True), []
        for checkpointed in (True, False):
            with Allocated() as allocated:
                h = x
                for part in (model[:2], model[2:]):
                    h = checkpoint(part, h, use_reentrant=reentrant) if checkpointed else part(h)
                loss = h.sum()
                after_forward, allocated.peak = allocated.now, 0
                loss.backward()
            model.zero_grad()
            found.append((after_forward, allocated.peak / after_forward))
        assert found[0][0] < 0.8 * found[1][0] and found[0][1] > 1.2 * found[1][1]

    @pytest.mark.parametrize("layers", [2, 8])
    def test_the_curves_of_the_picture(self, layers: int, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(plot, "LAYERS", layers)
        curves = {kind: plot.curve(kind) for kind in ("normal", "skipped", "retain_graph")}
        assert [max(c) // layers for c in curves.values()] == [1, 2, 2]
        assert [c[-1] // layers for c in curves.values()] == [0, 0, 1]
        assert len({len(c) for c in curves.values()}) == 1

    @pytest.mark.parametrize("attribute", [True, False])
    def test_an_attribute_of_ctx_is_not_released_by_backward(self, attribute: bool):
        kept: list[Callable] = []

        class Square(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                copy = x.detach().clone()
                kept.append(weakref.ref(copy))
                if attribute:
                    ctx.x = copy
                else:
                    ctx.save_for_backward(copy)
                return x * x

            @staticmethod
            def backward(ctx, gradient):
                x = ctx.x if attribute else ctx.saved_tensors[0]
                return 2 * x * gradient

        loss = Square.apply(torch.ones(3, requires_grad=True)).sum()
        loss.backward()
        assert (kept[0]() is not None) is attribute
        del loss
        assert kept[0]() is None

    @pytest.mark.parametrize("function, saves_output", [(torch.sigmoid, True), (torch.exp, True), (torch.sin, False)])
    def test_a_hook_that_keeps_an_output_itself_makes_a_cycle_that_gc_does_not_free(self, function, saves_output):
        for detached in (False, True):
            saved = []

            def pack(tensor: torch.Tensor, detached=detached, saved=saved) -> torch.Tensor:
                tensor = tensor.detach() if detached else tensor
                saved.append(weakref.ref(tensor))
                return tensor

            def step(pack=pack) -> None:
                x = torch.ones(3, requires_grad=True)
                with saved_tensors_hooks(pack, lambda tensor: tensor):
                    function(x).sum()

            step()
            gc.collect()
            assert (saved[0]() is not None) == (saves_output and not detached)

    @pytest.mark.parametrize("layers", [2, 4])
    def test_grad_releases_only_what_it_visits_and_an_error_leaves_the_rest(self, layers: int):
        for stop in ("grad", "error"):
            x = torch.zeros(8, requires_grad=True)
            with Ledger() as ledger:
                first = h = x.sin()
                for _ in range(layers):
                    h = h.sin()
                loss = h.sum()
            if stop == "grad":
                torch.autograd.grad(loss, first)
            else:

                def fail(_: torch.Tensor) -> None:
                    raise ValueError

                first.register_hook(fail)
                with pytest.raises(ValueError):
                    loss.backward()
            assert ledger.held() == x.nbytes  # of the first layer
            del loss, h, first
            assert ledger.held() == 0

    def test_a_tensor_that_you_hold_is_let_go_and_not_freed(self):
        for layer in (nn.Linear(3, 3), nn.Conv1d(1, 1, 3)):
            x = torch.randn(4, 1, 3) if isinstance(layer, nn.Conv1d) else torch.randn(4, 3)
            with Ledger() as ledger:
                loss = layer(x.requires_grad_()).sum()
            assert ledger.held() > 0
            loss.backward()
            assert ledger.held() == 0 and x.isfinite().all() and layer.weight.isfinite().all()
