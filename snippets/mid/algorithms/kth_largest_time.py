# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# output = "recorded"
# ///
import time

import torch

torch.set_num_threads(1)
n = 500_000
x = torch.randn(n, generator=torch.Generator().manual_seed(0))


def milliseconds(call):
    times = []
    for _ in range(7):
        start = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - start))
    return min(times)


print("     k  kthvalue   topk  topk unsorted  (ms)")
for k in (10, 1000, n // 2):
    calls = (
        lambda k=k: x.kthvalue(n - k + 1),
        lambda k=k: x.topk(k),
        lambda k=k: x.topk(k, sorted=False),
    )
    kth, top, unsorted = map(milliseconds, calls)
    print(f"{k:6} {kth:9.1f} {top:6.1f} {unsorted:14.1f}")
print(f"sort: {milliseconds(lambda: x.sort()):.1f} ms")
