# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "compiler"
# output = "recorded"
# slow = "builds a kernel with the C++ compiler, which is what it times"
# ///
import time
from collections.abc import Callable

import torch
from torch._inductor.utils import fresh_cache


def milliseconds(function: Callable, x: torch.Tensor) -> float:
    """Milliseconds of one call on a float tensor of any shape."""
    start = time.perf_counter()
    function(x)
    return 1e3 * (time.perf_counter() - start)


def gelu(x: torch.Tensor) -> torch.Tensor:
    return 0.5 * x * (1 + torch.tanh(0.79788 * (x + 0.044715 * x**3)))


if __name__ == "__main__":
    torch.set_num_threads(1)
    x = torch.ones(1024, 1024)
    compiled = torch.compile(gelu)
    options = {"cpp.vec_isa_ok": True, "cpp_cache_precompile_headers": False}
    with fresh_cache(), torch._inductor.config.patch(options):
        once = milliseconds(gelu, x), milliseconds(compiled, x)
    eager = min(milliseconds(gelu, x) for _ in range(20))
    later = min(milliseconds(compiled, x) for _ in range(20))
    print(f"timed once:   eager {once[0]:7.1f} ms, compiled {once[1]:8.1f} ms")
    print(f"later calls:  eager {eager:7.1f} ms, compiled {later:8.1f} ms")
    print(f"break-even after {once[1] / (eager - later):.0f} calls")
