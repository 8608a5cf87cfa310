import weakref
from collections.abc import Callable

import torch
from torch.autograd.graph import saved_tensors_hooks


def held_by(keep: Callable) -> int:
    """MiB that a graph of three layers still holds, if only keep(...) is kept."""
    boxes = weakref.WeakSet()

    class Box:
        def __init__(self, tensor: torch.Tensor):
            self.tensor = tensor
            boxes.add(self)

    def step() -> object:
        x = torch.zeros(2**18, requires_grad=True)  # 1 MiB
        with saved_tensors_hooks(Box, lambda box: box.tensor):
            first = x.sin()
            last = first.sin().sin()
        return keep(last.sum(), first, last)

    kept = step()
    mib = len(boxes)
    del kept
    assert not boxes
    return mib


if __name__ == "__main__":
    for name, keep in {
        "nothing": lambda loss, first, last: None,
        "loss.item()": lambda loss, first, last: loss.item(),
        "loss.detach()": lambda loss, first, last: loss.detach(),
        "loss": lambda loss, first, last: loss,
        "loss, after backward()": lambda loss, first, last: (loss.backward(), loss),
        "loss.grad_fn": lambda loss, first, last: loss.grad_fn,
        "last[0], a view": lambda loss, first, last: last[0],
        "first": lambda loss, first, last: first,
    }.items():
        print(f"{name:23} {held_by(keep)} MiB")
