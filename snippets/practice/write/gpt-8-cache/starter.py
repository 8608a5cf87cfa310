from collections.abc import Callable

import torch
from torch import Tensor, nn


class Cache:
    """The keys and values of one layer, in memory that is allocated once.

    Attributes:
        k, v: (batch, heads, capacity, size), behind length anything finite.
        length: how many tokens they hold, 0 at first.
    """

    def __init__(
        self,
        batch: int,
        heads: int,
        capacity: int,
        size: int,
        dtype: torch.dtype = torch.float32,
        device: torch.device | str | None = None,
    ) -> None:
        raise NotImplementedError

    def update(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Write new keys and values behind the others, in place.

        k, v: (batch, heads, T, size). Returns those of all tokens, each (batch,
        heads, length, size), without a copy. Raises ValueError if too few slots are
        left; the cache is then as it was.
        """
        raise NotImplementedError


def generate(
    model: nn.Module,
    caches: list[Cache],
    tokens: Tensor,
    max_new: int,
    pick: Callable[[Tensor], Tensor],
) -> Tensor:
    """Continue texts of one length, with a cache for each layer.

    model(tokens, caches) reads tokens (B, T) that follow those in the caches, adds
    them to the caches, and returns their logits (B, T, V). The prompt is read in
    one call, and after that each call reads one token. No graph is made. A token
    that nothing follows is not read.

    Args:
        caches: empty.
        tokens: (B, T) int64, T >= 1: the prompts.
        pick: gets the logits of the next token, (B, V), and returns it, (B,) int64.

    Returns:
        (B, T + max_new): the prompts and what follows.
    """
    raise NotImplementedError
