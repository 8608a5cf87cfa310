class UnionFind:
    """Disjoint sets over the integers 0 to n - 1, with union by size.

    Args:
        n: number of elements, at least 0.

    Attributes:
        components: how many sets there are now.

    Elements outside 0 .. n - 1 raise IndexError.
    """

    def __init__(self, n: int) -> None:
        self.parent = list(range(n))
        self.size = [1] * n  # valid at roots only
        self.components = n

    def find(self, x: int) -> int:
        """The root of x's set: equal for two elements if they are in one set."""
        if not 0 <= x < len(self.parent):
            raise IndexError(f"{x} is not in 0 .. {len(self.parent) - 1}")
        while self.parent[x] != x:
            self.parent[x] = self.parent[self.parent[x]]
            x = self.parent[x]
        return x

    def union(self, a: int, b: int) -> bool:
        """Join the sets of a and b; False if they were one set already."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return False
        if self.size[a] < self.size[b]:
            a, b = b, a
        self.parent[b] = a
        self.size[a] += self.size[b]
        self.components -= 1
        return True


def label_mask(mask: list[list[int]]) -> list[list[int]]:
    """Number the 4-connected components of a mask.

    Args:
        mask: rows of one length, true where there is an object.

    Returns:
        The same shape: 0 for background, then 1, 2, ... in reading order.
    """
    width = len(mask[0]) if mask else 0
    sets = UnionFind(len(mask) * width)
    for i, row in enumerate(mask):
        for j, on in enumerate(row):
            if on and j and row[j - 1]:
                sets.union(i * width + j, i * width + j - 1)
            if on and i and mask[i - 1][j]:
                sets.union(i * width + j, (i - 1) * width + j)
    names: dict[int, int] = {}
    return [
        [
            names.setdefault(sets.find(i * width + j), len(names) + 1) if on else 0
            for j, on in enumerate(row)
        ]
        for i, row in enumerate(mask)
    ]


if __name__ == "__main__":
    mask = [[1, 0, 1, 1, 0], [1, 0, 0, 1, 0], [1, 1, 1, 1, 0], [0, 0, 0, 0, 1]]
    for row in label_mask(mask):
        print(*row)
