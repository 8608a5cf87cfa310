import torch


class PrioritySampler:
    """Draw indices with probability proportional to their priority.

    Args:
        capacity: number of indices, at least 1; all priorities begin at 0.

    The tree is float64, a power of two wide, and all calls take whole batches.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.width = 1 << (capacity - 1).bit_length()
        self.tree = torch.zeros(2 * self.width, dtype=torch.float64)

    def update(self, index: torch.Tensor, priority: torch.Tensor) -> None:
        """Set priorities; of an index that comes twice, the last counts.

        Args:
            index: int64, shape (B,), in 0 .. capacity - 1.
            priority: shape (B,), finite, at least 0, with a finite sum in the tree.

        Raises:
            IndexError: an index outside. ValueError: another priority or shape.
        """
        if (
            index.dim() != 1
            or index.shape != priority.shape
            or not ((priority >= 0) & priority.isfinite()).all()
        ):
            raise ValueError("one finite priority of at least 0 for each index")
        if not ((index >= 0) & (index < self.capacity)).all():
            raise IndexError(f"an index is not in 0 .. {self.capacity - 1}")
        for i, p in zip(index.tolist(), priority.tolist()):
            self.tree[self.width + i] = p
        node = self.width + index
        while self.width > 1 and len(node) and node[0] > 1:
            node = torch.unique(node // 2)
            self.tree[node] = self.tree[2 * node] + self.tree[2 * node + 1]

    def find(self, mass: torch.Tensor) -> torch.Tensor:
        """First index whose cumulative priority exceeds ``mass``.

        Args:
            mass: float64, shape (B,), at least 0 and below the total, tree[1].
        """
        node, mass = torch.ones_like(mass, dtype=torch.int64), mass.clone()
        for _ in range(self.width.bit_length() - 1):
            node = 2 * node
            left = self.tree[node]
            right = (mass >= left) & (self.tree[node + 1] > 0)
            mass = mass - left * right
            node = node + right
        return node - self.width

    def sample(self, count: int) -> torch.Tensor:
        """int64, shape (count,). Raises ValueError if all priorities are 0."""
        if self.tree[1] <= 0:
            raise ValueError("all priorities are 0")
        return self.find(torch.rand(count, dtype=torch.float64) * self.tree[1])


if __name__ == "__main__":
    torch.manual_seed(0)
    sampler = PrioritySampler(capacity=5)
    sampler.update(torch.arange(5), torch.tensor([1.0, 0.0, 4.0, 2.0, 3.0]))
    print("mass 0 to 9:", sampler.find(torch.arange(10.0).double()).tolist())
    drawn = sampler.sample(10_000).bincount(minlength=5) / 10_000
    print("share drawn:", [round(share, 1) for share in drawn.tolist()])
