from collections.abc import Callable

import torch
from torch import Tensor, nn


class Cache:
    def __init__(
        self,
        batch: int,
        heads: int,
        capacity: int,
        size: int,
        dtype: torch.dtype = torch.float32,
        device: torch.device | str | None = None,
    ) -> None:
        both = torch.zeros(
            2, batch, heads, capacity, size, dtype=dtype, device=device
        )
        self.k, self.v = both
        self.capacity, self.length = capacity, 0

    def update(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        start, T = self.length, k.size(2)
        if start + T > self.capacity:
            raise ValueError("the cache is full")
        for mine, new in ((self.k, k), (self.v, v)):
            mine.narrow(2, start, T).copy_(new)
        self.length += T
        return self.k.narrow(2, 0, self.length), self.v.narrow(2, 0, self.length)


def generate(
    model: nn.Module,
    caches: list[Cache],
    tokens: Tensor,
    max_new: int,
    pick: Callable[[Tensor], Tensor],
) -> Tensor:
    B, T = tokens.shape
    found = tokens.new_empty(B, T + max_new)
    found[:, :T] = tokens
    with torch.no_grad():
        start = 0
        for end in range(T, T + max_new):
            logits = model(found[:, start:end], caches)
            found[:, end] = pick(logits[:, -1, :])
            start = end
    return found
