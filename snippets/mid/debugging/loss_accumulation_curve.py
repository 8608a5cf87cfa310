# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import weakref

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from torch import nn

WAYS = {  # what is added to the sum, and whether backward() runs before
    "validate, loss": (False, lambda loss: loss),
    "train, loss": (True, lambda loss: loss),
    "train, loss.detach()": (True, torch.detach),
    "train, loss.item()": (True, torch.Tensor.item),
}


class Kept:
    """Stands in the graph for a saved tensor, so that it can be counted."""

    def __init__(self, tensor: torch.Tensor, alive: weakref.WeakSet) -> None:
        self.tensor = tensor.detach()  # an output would keep its own node alive
        alive.add(self)


def graph_nodes(tensor: torch.Tensor | float) -> int:
    """Number of autograd nodes that a tensor keeps alive."""
    seen, todo = set(), [getattr(tensor, "grad_fn", None)]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo += [parent for parent, _ in node.next_functions]
    return len(seen)


def grow(way: str, steps: int) -> tuple[list[int], list[int]]:
    """Bytes of saved tensors and nodes that the sum of losses holds, by step.

    A storage that several saved tensors share counts once, parameters and the
    batch not at all.
    """
    backward, value_of = WAYS[way]
    model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10))
    x, y = torch.ones(128, 64), torch.zeros(128, dtype=torch.int64)
    given = {t.untyped_storage().data_ptr() for t in (x, y, *model.parameters())}
    alive = weakref.WeakSet()
    total, sizes, nodes = 0.0, [], []
    for _ in range(steps):
        with torch.autograd.graph.saved_tensors_hooks(
            lambda tensor: Kept(tensor, alive), lambda kept: kept.tensor
        ):
            loss = F.cross_entropy(model(x), y)
        if backward:
            loss.backward()
        total += value_of(loss)
        del loss
        storages = [kept.tensor.untyped_storage() for kept in alive]
        held = {s.data_ptr(): s.nbytes() for s in storages}
        sizes.append(sum(n for where, n in held.items() if where not in given))
        nodes.append(graph_nodes(total))
    return sizes, nodes


if __name__ == "__main__":
    figure, (above, below) = plt.subplots(2, figsize=(6, 5), sharex=True)
    styles = zip(WAYS, ("-", "--", "-", ":"), (1.5, 1.5, 4, 1.5))
    for way, line, width in styles:
        sizes, nodes = grow(way, steps=20)
        print(f"{way:21} {sizes[-1]:9,} bytes {nodes[-1]:4} nodes")
        steps = range(1, 21)
        above.plot(steps, [size / 1e6 for size in sizes], line, lw=width, label=way)
        below.plot(steps, nodes, line, lw=width, label=way)
    above.set_ylabel("saved tensors (MB)")
    below.set_ylabel("graph nodes")
    below.set_xlabel("step")
    above.legend()
    plt.show()
