"""The k largest of a stream, in a heap."""

import heapq
from collections.abc import Iterable
from itertools import islice


def kth_largest(values: Iterable[float], k: int) -> float:
    """The k-th largest of values, equal ones counted; 1 <= k <= len, no NaN."""
    stream = iter(values)
    heap = list(islice(stream, k))
    heapq.heapify(heap)  # the k largest so far, the smallest of them on top
    for value in stream:
        if value > heap[0]:
            heapq.heapreplace(heap, value)
    return heap[0]


if __name__ == "__main__":
    print(kth_largest([3, 1, 5, 5, 2], k=2), kth_largest([3, 1, 5, 5, 2], k=3))
