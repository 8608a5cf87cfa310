"""A replay buffer that takes whole batches, also across its end."""

import torch
from torch import Tensor


class ReplayBuffer:
    """The last `capacity` rows, in one preallocated tensor.

    Args:
        capacity: the number of rows, at least 1.
        shape: the shape of a row.
        dtype, device: of the stored rows. Rows have this dtype, and any device.

    Raises:
        ValueError: capacity is below 1.
    """

    def __init__(
        self,
        capacity: int,
        shape: tuple[int, ...] = (),
        dtype: torch.dtype = torch.float32,
        device: torch.device | str | None = None,
    ) -> None:
        if capacity < 1:
            raise ValueError(f"capacity must be at least 1, got {capacity}")
        self.data = torch.zeros(capacity, *shape, dtype=dtype, device=device)
        self.added = 0

    def __len__(self) -> int:
        return min(self.added, len(self.data))

    def extend(self, rows: Tensor) -> None:
        """Append rows of shape (n, *shape), n from 0 on, without their graph.

        The rows may not share memory with the buffer; those of newest() do not.

        Raises:
            ValueError: the shape of a row or the dtype is another one.
        """
        if rows.dim() == 0 or rows.shape[1:] != self.data.shape[1:]:
            raise ValueError(f"rows must be (n, {tuple(self.data.shape[1:])})")
        if rows.dtype != self.data.dtype:
            raise ValueError(f"rows must be {self.data.dtype}, got {rows.dtype}")
        skipped = max(len(rows) - len(self.data), 0)  # overwritten in this call
        rows = rows[skipped:].detach().to(self.data.device)
        self.data[self._slots(self.added + skipped, len(rows))] = rows
        self.added += skipped + len(rows)

    def newest(self, n: int) -> Tensor:
        """Copies of the last n rows, oldest first: (n, *shape); n to len(self)."""
        if not 0 <= n <= len(self):
            raise ValueError(f"n must be 0 to {len(self)}, got {n}")
        return self.data[self._slots(self.added - n, n)]

    def sample(self, n: int, generator: torch.Generator | None = None) -> Tensor:
        """A copy of n rows, drawn uniformly with replacement: shape (n, *shape).

        generator: on the CPU, wherever the buffer is.
        """
        if not len(self):
            raise ValueError("nothing to sample from")
        slots = torch.randint(len(self), (n,), generator=generator, device="cpu")
        return self.data[slots.to(self.data.device)]

    def _slots(self, first: int, n: int) -> Tensor:
        places = torch.arange(first, first + n, device=self.data.device)
        return places % len(self.data)


if __name__ == "__main__":
    buffer = ReplayBuffer(4, dtype=torch.long)
    for batch in ([1, 2, 3], [4, 5, 6], list(range(7, 17))):
        buffer.extend(torch.tensor(batch))
        print(f"{buffer.data.tolist()!s:17} newest 3: {buffer.newest(3).tolist()}")
