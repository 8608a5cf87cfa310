# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# output = "recorded"
# ///
import time
from collections.abc import Callable

MOD, BASE = 2**61 - 1, 131_071


def recomputed(tokens: list[int], k: int) -> list[int]:
    """Hash of each window, each from its k tokens."""
    found = []
    for i in range(len(tokens) - k + 1):
        h = 0
        for token in tokens[i : i + k]:
            h = (h * BASE + token) % MOD
        found.append(h)
    return found


def rolled(tokens: list[int], k: int) -> list[int]:
    """The same list; each hash from the one before."""
    found, h, top = [], 0, pow(BASE, k - 1, MOD)
    for i, token in enumerate(tokens):
        if i >= k:
            h -= tokens[i - k] * top
        h = (h * BASE + token) % MOD
        if i >= k - 1:
            found.append(h)
    return found


def milliseconds(
    run: Callable[[list[int], int], list[int]], n: int, k: int
) -> float:
    """Shortest of five runs on n tokens."""
    tokens, times = [i * i % 50_000 for i in range(n)], []
    for _ in range(5):
        start = time.perf_counter()
        run(tokens, k)
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


if __name__ == "__main__":
    print(
        "ms at n, k =",
        *[f"{n:5},{k:4}" for n, k in ((2000, 32), (2000, 64), (4000, 64))],
    )
    for run in (recomputed, rolled):
        times = [
            milliseconds(run, n, k) for n, k in ((2000, 32), (2000, 64), (4000, 64))
        ]
        print(f"{run.__name__:12}", *[f"{t:10.2f}" for t in times])
