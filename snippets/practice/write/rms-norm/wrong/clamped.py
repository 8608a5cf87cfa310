"""The mean square is bounded from below by eps, where eps should be added."""

import torch
from torch import Tensor


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    y = x.to(torch.promote_types(x.dtype, torch.float32))
    y = y * torch.rsqrt(y.square().mean(dim=-1, keepdim=True).clamp(min=eps))
    return (y * weight).to(x.dtype)
