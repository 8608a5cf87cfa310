# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib"]
# ///
from collections.abc import Callable

import matplotlib.pyplot as plt
import torch
from torch._inductor import config, cpp_builder
from torch._inductor.async_compile import AsyncCompile
from torch._inductor.graph import GraphLowering
from torch._inductor.utils import fresh_cache
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

planned: list[int] = []


def generate_and_count(graph: GraphLowering, generate=GraphLowering.codegen):
    result = generate(graph)
    planned.append(graph.count_bytes()[0])
    return result


GraphLowering.codegen = generate_and_count
AsyncCompile.cpp_pybinding = lambda *args, **kwargs: (
    lambda *tensors: None
)  # no build
cpp_builder.is_gcc = cpp_builder.is_msvc_cl = lambda: False
config.cpp.vec_isa_ok = False


class Traffic(TorchDispatchMode):
    """Adds up the bytes that each operation reads and writes; views move none."""

    total = 0

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        out = operation(*args, **(kwargs or {}))
        if not operation.is_view:
            leaves = tree_leaves((args, kwargs, out))
            self.total += sum(
                x.nbytes for x in leaves if isinstance(x, torch.Tensor)
            )
        return out


def eager_mib(function: Callable, *inputs: torch.Tensor) -> float:
    """MiB that ``function`` reads and writes in eager mode."""
    with Traffic() as traffic:
        function(*inputs)
    return traffic.total / 2**20


def fused_mib(function: Callable, *inputs: torch.Tensor) -> float:
    """MiB that Inductor's loops and library calls read and write, by its own count.

    Nothing is built: do not use results of ``torch.compile`` in the same process.
    """
    planned.clear()
    torch.compiler.reset()
    with fresh_cache():
        torch.compile(function)(*inputs)
    return sum(planned) / 2**20


def gelu(x: torch.Tensor) -> torch.Tensor:
    return 0.5 * x * (1 + torch.tanh(0.79788 * (x + 0.044715 * x**3)))


def softmax(x: torch.Tensor) -> torch.Tensor:
    exp = (x - x.amax(-1, keepdim=True)).exp()
    return exp / exp.sum(-1, keepdim=True)


FUNCTIONS = {
    "GELU by hand": gelu,
    "softmax by hand": softmax,
    "F.gelu": F.gelu,
    "relu": torch.relu,
    "relu(x @ w + 1)": lambda x, w: torch.relu(x @ w + 1),
}

if __name__ == "__main__":
    x, w = torch.ones(2, 1024, 1024)
    inputs = [(x, w) if "@ w" in name else (x,) for name in FUNCTIONS]
    calls = list(zip(FUNCTIONS.values(), inputs, strict=True))
    eager = [eager_mib(function, *tensors) for function, tensors in calls]
    fused = [fused_mib(function, *tensors) for function, tensors in calls]
    for name, before, after in zip(FUNCTIONS, eager, fused, strict=True):
        print(f"{name:16} eager {before:5.1f} MiB   fused {after:5.1f} MiB")

    fig, ax = plt.subplots(figsize=(6, 2.8))
    rows = torch.arange(len(FUNCTIONS))
    ax.barh(rows - 0.2, eager, 0.38, label="eager")
    ax.barh(rows + 0.2, fused, 0.38, label="fused", hatch="//")
    ax.set_yticks(rows, list(FUNCTIONS))
    ax.invert_yaxis()
    ax.set_xlabel("MiB read and written")
    ax.legend()
    plt.show()
