"""A binary heap by hand, which counts its comparisons."""

import random
from typing import Any


class Heap:
    """Items by priority, the smallest first; equal priorities in order of arrival.

    push and pop need O(log n) comparisons. The children of the entry at index i
    are at 2 * i + 1 and 2 * i + 2, and no child is smaller than its parent.
    """

    def __init__(self) -> None:
        self.entries: list[tuple[float, int, Any]] = []
        self.arrivals = 0
        self.compared = 0

    def __len__(self) -> int:
        return len(self.entries)

    def push(self, priority: float, item: Any) -> None:
        """Add item. priority: a number; raises ValueError if it is NaN."""
        if priority != priority:
            raise ValueError("NaN has no place in the order")
        self.entries.append((priority, self.arrivals, item))
        self.arrivals += 1
        child = len(self.entries) - 1
        while child and self._swap_if_smaller(child, (child - 1) // 2):
            child = (child - 1) // 2

    def pop(self) -> tuple[float, Any]:
        """Remove the smallest; raises IndexError if there is none."""
        if not self.entries:
            raise IndexError("pop from an empty heap")
        priority, _, item = self.entries[0]
        last = self.entries.pop()
        if self.entries:
            self.entries[0] = last
            parent = 0
            while (child := self._smaller_child(parent)) is not None:
                if not self._swap_if_smaller(child, parent):
                    break
                parent = child
        return priority, item

    def _smaller(self, a: int, b: int) -> bool:
        self.compared += 1
        return self.entries[a][:2] < self.entries[b][:2]  # never the items

    def _smaller_child(self, parent: int) -> int | None:
        left, right = 2 * parent + 1, 2 * parent + 2
        if right < len(self.entries):
            return right if self._smaller(right, left) else left
        return left if left < len(self.entries) else None

    def _swap_if_smaller(self, child: int, parent: int) -> bool:
        smaller = self._smaller(child, parent)
        if smaller:
            a, b = self.entries[child], self.entries[parent]
            self.entries[child], self.entries[parent] = b, a
        return smaller


if __name__ == "__main__":
    draw = random.Random(0)
    print("entries  comparisons per push, per pop")
    for n in (1_000, 2_000, 4_000, 8_000):
        heap = Heap()
        for _ in range(n):
            heap.push(draw.random(), None)
        pushes, heap.compared = heap.compared, 0
        for _ in range(n):
            heap.pop()
        print(f"{n:7} {pushes / n:8.1f} {heap.compared / n:9.1f}")
