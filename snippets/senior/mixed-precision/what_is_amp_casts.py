from collections.abc import Callable

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode


class CountCasts(TorchDispatchMode):
    """Counts the conversions to another dtype that run in its block."""

    def __init__(self) -> None:
        super().__init__()
        self.casts = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.casts += func is torch.ops.aten._to_copy.default
        return func(*args, **(kwargs or {}))


def casts(run: Callable[[], None]) -> int:
    """How many casts happen while run() runs."""
    with CountCasts() as counter:
        run()
    return counter.casts


def five_calls(layer: nn.Module, cache: bool = True) -> None:
    """Five calls in one region."""
    with torch.autocast("cpu", cache_enabled=cache):
        for _ in range(5):
            layer(torch.ones(1, 4))


def five_regions(layer: nn.Module) -> None:
    """Five calls, each in its own region."""
    for _ in range(5):
        with torch.autocast("cpu"):
            layer(torch.ones(1, 4))


if __name__ == "__main__":
    layer = nn.Linear(4, 4)
    print("one region:", casts(lambda: five_calls(layer)))
    print("five regions:", casts(lambda: five_regions(layer)))
    print("one region, no cache:", casts(lambda: five_calls(layer, cache=False)))
    layer.requires_grad_(False)
    print("one region, frozen weights:", casts(lambda: five_calls(layer)))
