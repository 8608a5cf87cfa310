"""Exactly a share p of the elements is dropped, so they are not independent of
each other.
"""

import torch
from torch import Tensor


def dropout(
    x: Tensor, p: float, training: bool, generator: torch.Generator | None = None
) -> Tensor:
    if not 0 <= p <= 1:
        raise ValueError(f"p is {p}, expected a number from 0 to 1")
    if not training:
        return x
    order = torch.randperm(x.numel(), generator=generator, device=x.device)
    kept = (order >= round(p * x.numel())).reshape(x.shape)
    return x * kept * (1 / (1 - p) if p < 1 else 0)
