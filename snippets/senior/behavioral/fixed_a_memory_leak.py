import gc
import weakref
from collections.abc import Callable
from functools import partial

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class LiveBytes(TorchDispatchMode):
    """Bytes of the tensor storages created inside this context and still alive, whoever holds them, on any device."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: dict[int, int] = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for tensor in tree_leaves(result):
            if isinstance(tensor, torch.Tensor):
                storage = tensor.untyped_storage()
                if storage._cdata not in self.sizes:
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
) -> int:
    """Run one iteration of a loop several times; it should hold as much memory after it as before.

    Args:
        warmup: iterations that may grow: gradients, optimizer state, caches.
        allowed: bytes that one step may add, so that a list of plain numbers passes.

    Returns:
        Bytes that a step adds.

    Raises:
        AssertionError: a step adds more than ``allowed`` bytes, or keeps nodes of an autograd graph.
    """
    held = []
    with LiveBytes() as live:
        for iterations in (warmup, steps):
            for _ in range(iterations):
                step()
            gc.collect()
            held.append((sum(live.sizes.values()), graph_nodes()))
    pairs = zip(*held, strict=True)
    size, nodes = ((after - before) // steps for before, after in pairs)
    if size > allowed or nodes > 0:
        raise AssertionError(
            f"a step leaves {size:,} bytes and {nodes} graph nodes behind"
        )
    return size


if __name__ == "__main__":
    model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 1000))
    inputs, targets = torch.randn(128, 64), torch.randint(1000, (128,))

    def step(train: bool, keep: Callable) -> None:
        loss = F.cross_entropy(model(inputs), targets)
        if train:
            loss.backward()
        history.append(keep(loss))

    print("loop      history keeps   leak test")
    for train in (False, True):
        for name, keep in (
            ("loss", lambda x: x),
            ("loss.detach()", torch.detach),
            ("loss.item()", torch.Tensor.item),
        ):
            history: list[torch.Tensor | float] = []
            try:
                verdict = f"passes: {assert_no_growth(partial(step, train, keep))} bytes a step"
            except AssertionError as error:
                verdict = f"AssertionError: {error}"
            print(f"{'train' if train else 'validate':9} {name:15} {verdict}")
