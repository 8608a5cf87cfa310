# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import math
from collections.abc import Callable

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class Traffic(TorchDispatchMode):
    """Estimate operators and bytes moved inside this context, in eager mode.

    Each operator counts as one kernel that reads its tensors and writes its results
    once. Views and uninitialized memory count nothing. Operators that use a
    workspace, or read only a part (indexing), move another amount.
    """

    operators = bytes = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        if not func.is_view and "empty" not in func.name():
            self.operators += 1
            for t in tree_leaves((args, kwargs, result)):
                if isinstance(t, torch.Tensor):
                    # An expanded tensor has more elements than memory.
                    self.bytes += min(t.nbytes, t.untyped_storage().nbytes())
        return result


def gelu_by_hand(x: torch.Tensor) -> torch.Tensor:
    """The tanh form of GELU as the paper writes it, any shape."""
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    return 0.5 * x * (1 + torch.tanh(inner))


def fused_gelu(x: torch.Tensor) -> torch.Tensor:
    """The same function as one operator."""
    return F.gelu(x, approximate="tanh")


def measure(function: Callable, *inputs: torch.Tensor) -> tuple[int, int]:
    """Operators and bytes of ``function(*inputs)``, on the device of the inputs."""
    with Traffic() as traffic:
        function(*inputs)
    return traffic.operators, traffic.bytes


if __name__ == "__main__":
    n = 1024
    many, one, weight = (torch.ones(rows, n, device="meta") for rows in (n, 1, n))
    print("float32, n = 1024    operators  MiB moved  FLOP per byte")
    peak, bandwidth = 20e12, 2e12  # FLOP and bytes per second of an assumed device
    for (name, function, inputs, flops), marker in zip(
        (
            ("GELU by hand", gelu_by_hand, (many,), 8 * n * n),
            ("F.gelu", fused_gelu, (many,), 8 * n * n),
            ("linear, 1 row", torch.mm, (one, weight), 2 * n * n),
            ("linear, n rows", torch.mm, (many, weight), 2 * n**3),
        ),
        "osv^",
    ):
        operators, moved = measure(function, *inputs)
        intensity = flops / moved
        print(f"{name:20} {operators:9} {moved / 2**20:10.1f} {intensity:14.2f}")
        reached = 100 * min(1, intensity * bandwidth / peak)
        plt.plot([intensity], [reached], marker, label=name)
    line = [0.05, 10, 1000]
    plt.plot(
        line, [100 * min(1, i * bandwidth / peak) for i in line], "C7-", zorder=0
    )
    plt.xscale("log")
    plt.yscale("log")
    plt.xlabel("operations per byte")
    plt.ylabel("at most this % of peak speed")
    plt.legend(loc="lower right")
    plt.show()
