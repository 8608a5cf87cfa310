"""The exponents are -4i / D: the factor of 2 is used twice."""

import torch
from torch import Tensor


def apply_rope(
    x: Tensor, positions: Tensor, theta: float = 10000.0, interleaved: bool = False
) -> Tensor:
    half = x.shape[-1] // 2
    frequencies = theta ** (-2 * torch.arange(half, device=x.device) / half)
    angles = positions[..., None] * frequencies  # (T, D/2) or (B, T, D/2)
    angles = angles.unsqueeze(-3)  # the axis of the heads
    cos, sin = angles.cos(), angles.sin()
    if interleaved:
        a, b = x[..., 0::2], x[..., 1::2]
    else:
        a, b = x[..., :half], x[..., half:]
    rotated = (a * cos - b * sin, a * sin + b * cos)
    if interleaved:
        y = torch.stack(rotated, dim=-1).flatten(-2)
    else:
        y = torch.cat(rotated, dim=-1)
    return y.to(x.dtype)
