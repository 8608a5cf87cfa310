import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


def nodes(x: torch.Tensor) -> int:
    """Number of nodes in the graph behind x."""
    seen, todo = set(), [x.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo += [after for after, _ in node.next_functions]
    return len(seen)


x = torch.randn(16, 8, requires_grad=True)
print(f"{'':12}nodes  batches counted  calls of the first and the last layer")
for reentrant in (None, False, True):
    block = nn.Sequential(
        nn.Linear(8, 8), nn.BatchNorm1d(8), nn.GELU(), nn.Linear(8, 8)
    )
    first, last = [], []
    block[0].register_forward_hook(lambda *_, calls=first: calls.append(1))
    block[-1].register_forward_hook(lambda *_, calls=last: calls.append(1))
    if reentrant is None:
        y = block(x)
    else:
        y = checkpoint(block, x, use_reentrant=reentrant)
    size = nodes(y)
    y.sum().backward()
    name = {None: "plain", False: "checkpoint", True: "reentrant"}[reentrant]
    batches = block[1].num_batches_tracked.item()
    print(f"{name:12}{size:5}{batches:17}{len(first):7}{len(last):4}")
