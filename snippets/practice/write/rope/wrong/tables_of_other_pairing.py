"""The tables of cosines and sines are those of interleaved pairs, but the halves
are rotated."""

import torch
from torch import Tensor


def apply_rope(
    x: Tensor, positions: Tensor, theta: float = 10000.0, interleaved: bool = False
) -> Tensor:
    half = x.shape[-1] // 2
    frequencies = theta ** (-torch.arange(half, device=x.device) / half)
    angles = positions[..., None] * frequencies  # (T, D/2) or (B, T, D/2)
    angles = angles.unsqueeze(-3)  # the axis of the heads
    if not interleaved:
        angles = angles.repeat_interleave(2, dim=-1)
    cos, sin = angles.cos(), angles.sin()
    if interleaved:
        a, b = x[..., 0::2], x[..., 1::2]
    else:
        a, b = x[..., :half], x[..., half:]
    if interleaved:
        rotated = (a * cos - b * sin, a * sin + b * cos)
        y = torch.stack(rotated, dim=-1).flatten(-2)
    else:
        y = x * cos + torch.cat((-b, a), dim=-1) * sin
    return y.to(x.dtype)
