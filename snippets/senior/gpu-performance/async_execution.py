# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "cuda"
# output = "recorded"
# ///
import time
from collections.abc import Callable

import torch


def matmul_chain(x: torch.Tensor, count: int = 50) -> torch.Tensor:
    """``x`` to the power ``count + 1``, shape (n, n).

    One matmul at a time; each needs the result of the one before.
    """
    y = x
    for _ in range(count):
        y = x @ y
    return y


def host_milliseconds(
    x: torch.Tensor, finish: Callable[[torch.Tensor], object]
) -> tuple[float, bool]:
    """What the host's clock says about ``finish(matmul_chain(x))``.

    Returns:
        Milliseconds, and whether the GPU was idle when the clock was stopped.
    """
    torch.cuda.synchronize()
    start = time.perf_counter()
    finish(matmul_chain(x))
    elapsed = (time.perf_counter() - start) * 1e3
    return elapsed, torch.cuda.current_stream().query()


def event_milliseconds(x: torch.Tensor) -> float:
    """What the GPU's clock says about ``matmul_chain(x)``, in milliseconds.

    It is the time between two events in the stream, around the kernels.
    """
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    matmul_chain(x)
    end.record()
    end.synchronize()
    return start.elapsed_time(end)


if __name__ == "__main__":
    if not torch.cuda.is_available():
        raise SystemExit(
            "async_execution.py needs a CUDA GPU: "
            "torch.cuda.is_available() is False"
        )
    n = 4096
    x = torch.randn(n, n, device="cuda") / n**0.5
    # The first calls also load kernels and allocate memory.
    matmul_chain(x)[0, 0].item()
    gpu = event_milliseconds(x)
    finishers = {
        "the calls have returned": lambda y: None,
        "torch.cuda.synchronize()": lambda y: torch.cuda.synchronize(),
        "y[0, 0].item()": lambda y: y[0, 0].item(),
        "if y[0, 0] > 0": lambda y: bool(y[0, 0] > 0),
        "y.shape": lambda y: y.shape,
    }
    print(f"{'clock stopped after':26}share of the GPU's time   GPU idle")
    for label, finish in finishers.items():
        elapsed, idle = host_milliseconds(x, finish)
        print(f"{label:26}{100 * elapsed / gpu:21.0f} %   {idle}")
