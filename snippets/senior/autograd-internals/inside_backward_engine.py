import heapq
import textwrap
from collections import Counter
from itertools import count

import torch
from torch import nn
from torch.autograd.graph import Node


@torch.no_grad()
def backward_by_hand(loss: torch.Tensor) -> list[str]:
    """What loss.backward() does on a CPU, without hooks and without freeing.

    Args:
        loss: one number, the only result of its node. No custom Function may be
            in its graph, which is kept; .grad is added to.

    Returns:
        The names of the nodes, in the order in which they ran.
    """
    waiting, seen = Counter(), [loss.grad_fn]
    for node in seen:  # grows while it is read
        for following, _ in node.next_functions:
            if following is not None:
                if following not in waiting:
                    seen.append(following)
                waiting[following] += 1

    received: dict[Node, list] = {loss.grad_fn: [torch.ones_like(loss)]}
    ready, order, tie = [(0, 0, loss.grad_fn)], [], count(1)
    while ready:
        node = heapq.heappop(ready)[-1]
        order.append(node.name())
        results = node(*received.pop(node))
        if not isinstance(results, tuple):
            results = (results,)
        for (following, slot), gradient in zip(node.next_functions, results):
            if following is None:
                continue
            wanted = following._input_metadata
            slots = received.setdefault(following, [None] * len(wanted))
            if gradient is not None:
                gradient = gradient.sum_to_size(wanted[slot].shape)  # was broadcast
                old = slots[slot]
                slots[slot] = gradient if old is None else old + gradient
            waiting[following] -= 1
            if waiting[following] == 0:  # the last gradient has arrived
                first = -following._sequence_nr()  # AccumulateGrad: the highest
                heapq.heappush(ready, (first, next(tie), following))
    return order


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 4))
    x = torch.randn(5, 4)

    def forward() -> torch.Tensor:
        return (model(x) + x).square().mean() + model[0].weight.square().sum()

    order = backward_by_hand(forward())
    by_hand = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    loss, ran, nodes = forward(), [], set()
    todo = [loss.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in nodes:
            nodes.add(node)
            node.register_prehook(lambda _, node=node: ran.append(node.name()))
            todo += [following for following, _ in node.next_functions]
    loss.backward()
    print(f"{len(order)} nodes, in the same order: {ran == order}")
    same = map(torch.equal, by_hand, (p.grad for p in model.parameters()))
    print("equal gradients:", list(same))
    names = (name.split(":")[-1].removesuffix("Backward0") for name in order)
    print(textwrap.fill(", ".join(names), 80))
