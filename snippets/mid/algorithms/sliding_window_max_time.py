# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# output = "recorded"
# ///
import time

import torch
import torch.nn.functional as F

torch.set_num_threads(1)
x = torch.randn(100_000, generator=torch.Generator().manual_seed(0))
trained = x.clone().requires_grad_()


def doubling(x, window):
    width = 1
    while 2 * width <= window:
        x, width = torch.maximum(x[:-width], x[width:]), 2 * width
    rest = window - width
    return torch.maximum(x[: len(x) - rest], x[rest:]) if rest else x


def milliseconds(call):
    times = []
    for _ in range(7):
        start = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - start))
    return min(times)


print("(ms)          max_pool1d    with grad    doubling")
for window in (4, 16, 64, 256, 1024):
    times = [
        milliseconds(call)
        for call in (
            lambda: F.max_pool1d(x[None, None], window, 1),  # noqa: B023
            lambda: F.max_pool1d(trained[None, None], window, 1),  # noqa: B023
            lambda: doubling(x, window),  # noqa: B023
        )
    ]
    print(f"window {window:4}:", *(f"{time:12.2f}" for time in times))
