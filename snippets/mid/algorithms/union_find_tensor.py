# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# output = "recorded"
# ///
import random
import time

import torch


def seconds(
    parent: list[int] | torch.Tensor, edges: list[tuple[int, int]]
) -> float:
    """Time to join the pairs in ``edges``; writes into ``parent``."""
    start = time.perf_counter()
    for a, b in edges:
        while parent[a] != a:
            a = parent[a]
        while parent[b] != b:
            b = parent[b]
        parent[a] = b
    return time.perf_counter() - start


if __name__ == "__main__":
    random.seed(0)
    edges = [(random.randrange(1000), random.randrange(1000)) for _ in range(500)]
    on_list = min(seconds(list(range(1000)), edges) for _ in range(9))
    on_tensor = min(seconds(torch.arange(1000), edges) for _ in range(5))
    print(f"list   {on_list * 1e3:6.2f} ms")
    print(
        f"tensor {on_tensor * 1e3:6.2f} ms, {on_tensor / on_list:.0f} times as long"
    )
