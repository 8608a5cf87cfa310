import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch.utils._python_dispatch import TorchDispatchMode


class Traffic(TorchDispatchMode):
    """Count the kernels that run inside the block, and the bytes that they read and write; views move nothing."""

    kernels = bytes = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        if not func.is_view:
            self.kernels += 1
            self.bytes += sum(
                t.nbytes for t in (*args, result) if isinstance(t, torch.Tensor)
            )
        return result


def gelu_by_hand(x: torch.Tensor) -> torch.Tensor:
    """The tanh form of GELU as the paper writes it, any shape."""
    return (
        0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    )


def measure(function: Callable, *inputs: torch.Tensor) -> tuple[int, int]:
    """Kernels and bytes of ``function(*inputs)``, on whatever device the inputs are."""
    with Traffic() as traffic:
        function(*inputs)
    return traffic.kernels, traffic.bytes


if __name__ == "__main__":
    accelerator = torch.accelerator.current_accelerator(check_available=True)
    device = accelerator or torch.device("cpu")
    n = 1024
    many, one, weight = (torch.ones(rows, n, device=device) for rows in (n, 1, n))
    print(
        "float32, n = 1024                       kernels  MiB moved  FLOP per byte"
    )
    for name, function, inputs, flops in (
        ("GELU by hand, (n, n)", gelu_by_hand, (many,), 8 * n * n),
        (
            "F.gelu, (n, n)",
            lambda x: F.gelu(x, approximate="tanh"),
            (many,),
            8 * n * n,
        ),
        (
            "linear layer, one row: (1, n) @ (n, n)",
            torch.mm,
            (one, weight),
            2 * n * n,
        ),
        (
            "linear layer, n rows:  (n, n) @ (n, n)",
            torch.mm,
            (many, weight),
            2 * n**3,
        ),
    ):
        kernels, moved = measure(function, *inputs)
        print(f"{name:40} {kernels:6} {moved / 2**20:10.1f} {flops / moved:14.2f}")
