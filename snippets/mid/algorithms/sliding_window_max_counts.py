# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
"""Comparisons per value for a window of k, on 4,096 values."""

import random
from collections import deque

import matplotlib.pyplot as plt


def deque_comparisons(values: list[float], window: int) -> int:
    """How often the deque compares two values."""
    best, count = deque(), 0
    for now, value in enumerate(values):
        while best:
            count += 1
            if values[best[-1]] > value:
                break
            best.pop()
        best.append(now)
        if best[0] == now - window:
            best.popleft()
    return count


def brute_comparisons(n: int, window: int) -> int:
    """max() of each window compares window - 1 times."""
    return (n - window + 1) * (window - 1)


def doubling_comparisons(n: int, window: int) -> int:
    """One comparison for each value of each pass."""
    count, width = 0, 1
    while 2 * width <= window:
        n, width, count = n - width, 2 * width, count + n - width
    return count + (n - (window - width) if window > width else 0)


if __name__ == "__main__":
    n, draw = 4096, random.Random(0)
    values = [draw.random() for _ in range(n)]
    windows = [2**power for power in range(1, 12)]
    lines = {
        "each window: k - 1": (
            [brute_comparisons(n, k) / n for k in windows],
            "s:",
        ),
        "doubling: log2 k": (
            [doubling_comparisons(n, k) / n for k in windows],
            "^--",
        ),
        "deque: below 2": (
            [deque_comparisons(values, k) / n for k in windows],
            "o-",
        ),
    }
    for name, (counts, style) in lines.items():
        plt.plot(windows, counts, style, label=name)
        shown = (counts[windows.index(k)] for k in (16, 64, 256, 1024))
        print(f"{name:19}", *(f"{count:6.2f}" for count in shown))
    plt.xscale("log", base=2)
    plt.yscale("log")
    plt.xlabel("window k (of 4,096 values)")
    plt.ylabel("comparisons per value")
    plt.legend(loc="lower center", bbox_to_anchor=(0.5, 1))
    plt.show()
