"""With p = 1 the gradient is NaN: where() hides the infinite values, but not
their derivative.
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
    return torch.where(kept, x / (1 - p), 0.0)
