from collections.abc import Callable

import torch
from torch._inductor import config, cpp_builder
from torch._inductor.async_compile import AsyncCompile
from torch._inductor.graph import GraphLowering
from torch._inductor.utils import fresh_cache

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


def fused_mib(function: Callable, x: torch.Tensor) -> int:
    """MiB that the loops of all its graphs read and write, by Inductor's count."""
    planned.clear()
    torch.compiler.reset()
    with fresh_cache():
        torch.compile(function)(x)
    return sum(planned) // 2**20


def whole(x: torch.Tensor) -> torch.Tensor:
    return torch.cos(torch.sin(x) + 1) * 2


def also_returned(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    h = torch.sin(x) + 1
    return torch.cos(h) * 2, h


def divided_by_its_mean(x: torch.Tensor) -> torch.Tensor:
    h = torch.sin(x) + 1
    return torch.cos(h) / h.mean()


def with_print(x: torch.Tensor) -> torch.Tensor:
    h = torch.sin(x) + 1
    print(end="")
    return torch.cos(h) * 2


if __name__ == "__main__":
    x = torch.ones(1024, 1024)
    for function in (whole, also_returned, divided_by_its_mean, with_print):
        print(f"{function.__name__:20} {fused_mib(function, x):3} MiB")
