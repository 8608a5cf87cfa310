from collections.abc import Callable, Sequence


class SegmentTree:
    """Combine any range of a list in O(log n), with updates in O(log n).

    Args:
        values: any number of them.
        combine: associative on these values, as operator.add, joining strings,
            or min and max without NaN. It need not be commutative.
        neutral: combine(neutral, x) == combine(x, neutral) == x, as 0 for sums.

    Indices are 0 .. n - 1; others raise IndexError.
    """

    def __init__(self, values: Sequence, combine: Callable, neutral) -> None:
        self.n, self.combine, self.neutral = len(values), combine, neutral
        self.tree = [neutral] * self.n + list(values)
        for node in range(self.n - 1, 0, -1):
            self._pull(node)

    def _pull(self, node: int) -> None:
        self.tree[node] = self.combine(self.tree[2 * node], self.tree[2 * node + 1])

    def update(self, i: int, value) -> None:
        """Replace element i."""
        if not 0 <= i < self.n:
            raise IndexError(f"{i} is not in 0 .. {self.n - 1}")
        node = self.n + i
        self.tree[node] = value
        while node > 1:
            node //= 2
            self._pull(node)

    def query(self, start: int, stop: int):
        """Elements start .. stop - 1, combined in order; neutral if there are none.

        Raises:
            IndexError: not 0 <= start <= stop <= n.
        """
        if not 0 <= start <= stop <= self.n:
            raise IndexError(f"{start}:{stop} is not in 0 .. {self.n}")
        left = right = self.neutral
        start, stop = start + self.n, stop + self.n
        while start < stop:
            if start % 2:
                left = self.combine(left, self.tree[start])
                start += 1
            if stop % 2:
                stop -= 1
                right = self.combine(self.tree[stop], right)
            start, stop = start // 2, stop // 2
        return self.combine(left, right)


if __name__ == "__main__":
    tree = SegmentTree([5, 1, 4, 2, 8], min, float("inf"))
    print(tree.query(1, 4), tree.query(0, 5), tree.query(3, 3))
    tree.update(1, 9)
    print(tree.query(1, 4), tree.query(0, 5))
    print(SegmentTree("abcde", str.__add__, "").query(1, 4))
