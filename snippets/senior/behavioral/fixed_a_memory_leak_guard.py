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
    """Run a loop's iteration several times; it should hold no more memory then.

    Args:
        steps: iterations that are measured, one or more; at least one period of
            whatever the loop does now and then.
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
    inputs, targets = torch.randn(128, 64), torch.randint(1000, (128,))

    def step(train: bool, keep: Callable) -> None:
        loss = F.cross_entropy(model(inputs), targets)
        if train:
            loss.backward()
        history.append(keep(loss))

    for train in (False, True):
        for name, keep in (
            ("loss", lambda x: x),
            ("loss.detach()", torch.detach),
            ("loss.item()", torch.Tensor.item),
        ):
            history: list[torch.Tensor | float] = []
            try:
                size = assert_no_growth(partial(step, train, keep))
                verdict = f"passes: {size:g} bytes a step"
            except AssertionError as error:
                verdict = f"AssertionError: {error}"
            print(f"{'train' if train else 'validate'}, history of {name}")
            print(f"    {verdict}")
