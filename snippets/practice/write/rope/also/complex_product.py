import math

import torch
from torch import Tensor


def apply_rope(
    x: Tensor, positions: Tensor, theta: float = 10000.0, interleaved: bool = False
) -> Tensor:
    D = x.shape[-1]
    i = torch.arange(0, D, 2, dtype=torch.float32, device=x.device)
    frequency = torch.exp(-math.log(theta) * i / D)
    angle = positions.to(torch.float32).unsqueeze(-1) * frequency
    if positions.ndim == 2:
        angle = angle[:, None]
    turn = torch.polar(torch.ones_like(angle), angle)
    if interleaved:
        pairs = x.float().reshape(*x.shape[:-1], D // 2, 2)
    else:
        pairs = x.float().reshape(*x.shape[:-1], 2, D // 2).transpose(-1, -2)
    pairs = torch.view_as_real(torch.view_as_complex(pairs.contiguous()) * turn)
    if not interleaved:
        pairs = pairs.transpose(-1, -2)
    return pairs.reshape(x.shape).type_as(x)
