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
        shape = batch, heads, capacity, size
        self.k = torch.zeros(shape, dtype=dtype, device=device)
        self.v = torch.zeros(shape, dtype=dtype, device=device)
        self.length = 0

    def update(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        end = self.length + k.shape[2]
        if end > self.k.shape[2]:
            raise ValueError("the tokens do not fit into the cache")
        self.k[:, :, self.length : end] = k
        self.v[:, :, self.length : end] = v
        self.length = end
        return self.k[:, :, :end], self.v[:, :, :end]


@torch.no_grad()
def generate(
    model: nn.Module,
    caches: list[Cache],
    tokens: Tensor,
    max_new: int,
    pick: Callable[[Tensor], Tensor],
) -> Tensor:
    newest = tokens
    for _ in range(max_new):
        logits = model(newest, caches)
        newest = pick(logits[:, -1])[:, None]
        tokens = torch.cat([tokens, newest], dim=1)
    return tokens
