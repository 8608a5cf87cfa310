import textwrap
from collections.abc import Callable

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode


class OpLog(TorchDispatchMode):
    """Names of the ATen ops called while it is active, in order.

    An op that only makes a view is in brackets.
    """

    def __init__(self) -> None:
        super().__init__()
        self.ops: list[str] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func.overloadpacket.__name__
        self.ops.append(f"[{name}]" if func.is_view else name)
        return func(*args, **(kwargs or {}))


def dispatched(function: Callable[[], object]) -> list[str]:
    """The ATen ops that ``function()`` calls."""
    with OpLog() as log:
        function()
    return log.ops


if __name__ == "__main__":
    model = nn.Sequential(nn.Linear(3, 2), nn.ReLU())
    x = torch.ones(4, 3)
    loss = model(x).sum()
    python = {
        "model(x)": lambda: model(x),
        "loss.backward()": loss.backward,
        "loss.item()": loss.item,
        "if loss > 0": lambda: bool(loss > 0),
        "loss.shape": lambda: loss.shape,
    }
    for line, function in python.items():
        row = f"{line:17}{' '.join(dispatched(function)) or 'nothing'}"
        print(textwrap.fill(row, 78, subsequent_indent=17 * " "))
