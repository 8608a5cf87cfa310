"""x is multiplied in place, so whoever else reads it, such as a residual branch,
gets the dropped values.
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
    return x.mul_(kept).mul_(1 / (1 - p) if p < 1 else 0)
