# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
"""Comparisons per value for the k-th largest of 4,096 values, counted."""

import heapq
import random
from collections.abc import Callable

import matplotlib.pyplot as plt


class Counted(float):
    """A float that counts how often it is compared."""

    compared = 0

    def __lt__(self, other: float) -> bool:
        Counted.compared += 1
        return float(self) < float(other)

    def __gt__(self, other: float) -> bool:
        Counted.compared += 1
        return float(self) > float(other)


def with_sort(values: list[Counted], k: int) -> float:
    """The k-th largest by sorting everything."""
    return sorted(values)[-k]


def with_heap(values: list[Counted], k: int) -> float:
    """The k-th largest by a heap of the k largest."""
    heap = values[:k]
    heapq.heapify(heap)
    for value in values[k:]:
        if value > heap[0]:
            heapq.heapreplace(heap, value)
    return heap[0]


def with_select(values: list[Counted], k: int) -> float:
    """The k-th largest by quickselect with a random pivot."""
    draw = random.Random(0)
    while True:
        pivot = draw.choice(values)
        larger, others = [], []
        for value in values:
            (larger if value > pivot else others).append(value)
        if k <= len(larger):
            values = larger
            continue
        k -= len(larger)
        smaller = [value for value in others if value < pivot]
        if k <= len(others) - len(smaller):
            return pivot
        k -= len(others) - len(smaller)
        values = smaller


def per_value(
    method: Callable[[list[Counted], int], float], n: int, k: int
) -> float:
    """Comparisons per value, the mean of five random lists of n values."""
    draw, Counted.compared = random.Random(n), 0
    for _ in range(5):
        method([Counted(draw.random()) for _ in range(n)], k)
    return Counted.compared / (5 * n)


if __name__ == "__main__":
    n, ks = 4096, [1, 4, 16, 64, 256, 1024, 2048]
    methods = {
        "sort": with_sort,
        "heap of k": with_heap,
        "quickselect": with_select,
    }
    for (name, method), style in zip(methods.items(), ("s:", "^--", "o-")):
        counts = [per_value(method, n, k) for k in ks]
        plt.plot(ks, counts, style, label=name)
        print(f"{name:11}", *(f"{count:5.1f}" for count in counts))
    plt.xscale("log", base=2)
    plt.xlabel("k (of 4,096 values)")
    plt.ylabel("comparisons per value")
    plt.ylim(0)
    plt.legend(loc="lower center", bbox_to_anchor=(0.5, 1))
    plt.show()
