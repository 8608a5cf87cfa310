import gc
import weakref
from collections.abc import Callable
from functools import partial

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.data import DataLoader, TensorDataset


class LiveBytes(TorchDispatchMode):
    """Bytes of the storages that torch operators create here and that are alive.

    It sees operators of its own thread, in eager mode; a compiled step falls back
    to eager. It misses memory that no operator creates, such as ``torch.tensor`` of
    a list, and growth by ``resize_``. An operator that returns a sparse tensor,
    which has no storage, raises NotImplementedError.
    """

    def __init__(self) -> None:
        super().__init__()
        self.sizes: dict[int, int] = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        given = {  # a view of an older tensor creates no storage
            tensor.untyped_storage()._cdata
            for tensor in tree_leaves((args, kwargs))
            if isinstance(tensor, torch.Tensor)
        }
        result = func(*args, **kwargs)
        for tensor in tree_leaves(result):
            if isinstance(tensor, torch.Tensor):
                storage = tensor.untyped_storage()
                if storage._cdata not in self.sizes.keys() | given:
                    self.sizes[storage._cdata] = storage.nbytes()
                    weakref.finalize(storage, self.sizes.pop, storage._cdata)
        return result


def graph_nodes() -> int:
    """Number of autograd nodes that some tensor keeps alive."""
    nodes = set()
    todo = [
        found.grad_fn
        for found in gc.get_objects()
        if issubclass(type(found), torch.Tensor)
    ]
    while todo:
        node = todo.pop()
        if node is not None and node not in nodes:
            nodes.add(node)
            todo += [parent for parent, _ in node.next_functions]
    return len(nodes)


def assert_no_growth(
    step: Callable[[], object], steps: int = 5, warmup: int = 2, allowed: int = 1024
) -> float:
    """Run one iteration of a loop several times and check that memory stays flat.

    Args:
        steps: measured iterations, one or more. If the loop does something only
            in every n-th iteration, at least n.
        warmup: iterations before, which may grow: gradients, optimizer state.
        allowed: bytes that one step may add, so that a few small tensors pass.

    Returns:
        Bytes that a step adds, on average.

    Raises:
        AssertionError: the steps add more than ``allowed`` bytes each, or keep a
            node of an autograd graph.
    """
    held = []
    with LiveBytes() as live:
        for iterations in (warmup, steps):
            for _ in range(iterations):
                step()
            gc.collect()
            held.append((sum(live.sizes.values()), graph_nodes()))
    size, nodes = (
        (after - before) / steps for before, after in zip(*held, strict=True)
    )
    if size > allowed or nodes > 0:
        raise AssertionError(
            f"a step leaves {size:,.0f} bytes and {nodes:g} graph nodes behind"
        )
    return size


if __name__ == "__main__":
    model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 1000))
    data = TensorDataset(torch.randn(1024, 64), torch.randint(1000, (1024,)))
    loader = DataLoader(data, batch_size=128)
    history: list[torch.Tensor | float] = []

    def step(train: bool, keep: Callable) -> None:
        inputs, targets = next(iter(loader))
        loss = F.cross_entropy(model(inputs), targets)
        if train:
            loss.backward()
        history.append(keep(loss))

    keeps = {
        "loss": lambda loss: loss,
        "loss.detach()": torch.detach,
        "loss.item()": torch.Tensor.item,
    }
    loops: dict[str, Callable] = {"loader alone": lambda: next(iter(loader))}
    for name, train in (("train", True), ("validate", False)):
        for kept, keep in keeps.items():
            loops[f"{name}, keep {kept}"] = partial(step, train, keep)
    for name, loop in loops.items():
        try:
            print(f"{name:30}passes: {assert_no_growth(loop):g} bytes a step")
        except AssertionError as error:
            print(f"{name:30}AssertionError:\n    {error}")
