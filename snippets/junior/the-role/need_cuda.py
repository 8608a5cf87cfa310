import torch
import torch.nn.functional as F
from torch.utils._python_dispatch import TorchDispatchMode


class Operators(TorchDispatchMode):
    """Print each operator that PyTorch calls inside this context."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        print("   ", func)
        return func(*args, **(kwargs or {}))


x = torch.ones(4)
with Operators():
    print("GELU by hand:")
    0.5 * x * (1 + torch.tanh(0.7979 * (x + 0.044715 * x**3)))
    print("F.gelu:")
    F.gelu(x, approximate="tanh")
