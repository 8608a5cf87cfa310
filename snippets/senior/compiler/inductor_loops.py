from collections.abc import Callable

import torch
from torch._inductor import config, cpp_builder
from torch._inductor.async_compile import AsyncCompile
from torch._inductor.graph import GraphLowering
from torch._inductor.utils import fresh_cache

kernels: list[str] = []
library: list[bool] = []


def keep(self: AsyncCompile, types: list, code: str, *args, **kwargs) -> Callable:
    kernels.append(code)
    return lambda *tensors: None


def codegen(graph: GraphLowering, generate=GraphLowering.codegen):
    result = generate(graph)
    library.extend(node.is_extern() for node in graph.scheduler.nodes)
    return result


GraphLowering.codegen = codegen
AsyncCompile.cpp_pybinding = keep  # keep the C++ text, build nothing
cpp_builder.is_gcc = cpp_builder.is_msvc_cl = lambda: False


def generated(function: Callable, *inputs: torch.Tensor) -> tuple[int, int, int]:
    """What Inductor makes of ``function`` for a CPU, without vector instructions.

    Args:
        function: takes ``inputs``, float tensors that do not require grad.

    Returns:
        C++ functions, ``for`` loops in them, and calls of a library.
    """
    kernels.clear()
    library.clear()
    torch.compiler.reset()
    with fresh_cache(), config.patch({"cpp.vec_isa_ok": False, "cpp.threads": 1}):
        torch.compile(function)(*inputs)
    return len(kernels), sum(code.count("for(") for code in kernels), sum(library)


FUNCTIONS = {
    "relu(sin(x) + 1) * x": lambda x: torch.relu(torch.sin(x) + 1) * x,
    "softmax(x)": lambda x: torch.softmax(x, -1),
    "x.sum(0), x.sum(1)": lambda x: (x.sum(0), x.sum(1)),
    "relu(x @ x + 1)": lambda x: torch.relu(x @ x + 1),
    "softmax(x @ x) @ x": lambda x: torch.softmax(x @ x, -1) @ x,
}

if __name__ == "__main__":
    print(f"{'':22} functions  loops  library calls")
    for name, function in FUNCTIONS.items():
        functions, loops, calls = generated(function, torch.ones(64, 64))
        print(f"{name:22} {functions:9} {loops:6} {calls:14}")
