"""The kept elements are not divided by 1 - p, so the layers behind see smaller
values in training than at evaluation.
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
    return x * kept
