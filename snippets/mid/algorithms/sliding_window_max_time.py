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


def pool(x, window):
    return F.max_pool1d(x[None, None], window, stride=1)[0, 0]


def doubling(x, window):
    width = 1
    while 2 * width <= window:
        x, width = torch.maximum(x[:-width], x[width:]), 2 * width
    rest = window - width
    return torch.maximum(x[: len(x) - rest], x[rest:]) if rest else x


def milliseconds(call):
    times = []
    for _ in range(5):
        start = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - start))
    return min(times)


print("(ms)            forward               with backward")
print("         max_pool1d    doubling    max_pool1d    doubling")
for k in (4, 16, 64, 256):
    row = [milliseconds(lambda: f(x, k)) for f in (pool, doubling)]  # noqa: B023
    row += [
        milliseconds(lambda: f(trained, k).sum().backward())  # noqa: B023
        for f in (pool, doubling)
    ]
    print(f"k = {k:3}", "".join(f"{value:12.2f}" for value in row))
