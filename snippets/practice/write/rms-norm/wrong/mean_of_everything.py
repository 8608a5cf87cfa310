"""The mean runs over the whole tensor and not over the last axis."""

import torch
from torch import Tensor


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    y = x.to(torch.promote_types(x.dtype, torch.float32))
    y = y * torch.rsqrt(y.square().mean() + eps)
    return (y * weight).to(x.dtype)
