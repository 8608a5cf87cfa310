"""The dropped part is detached, so gradients pass through elements that were
dropped.
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
    kept = torch.rand(x.shape, generator=generator, device=x.device) >= p
    dropped = x * kept * (1 / (1 - p) if p < 1 else 0)
    return x + (dropped - x).detach()
