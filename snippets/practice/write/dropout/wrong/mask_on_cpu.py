"""The mask is made on the CPU, whatever the device of x."""

import torch
from torch import Tensor


def dropout(
    x: Tensor, p: float, training: bool, generator: torch.Generator | None = None
) -> Tensor:
    if not 0 <= p <= 1:
        raise ValueError(f"p is {p}, expected a number from 0 to 1")
    if not training:
        return x
    kept = torch.rand(x.shape, generator=generator) >= p
    return x * kept * (1 / (1 - p) if p < 1 else 0)
