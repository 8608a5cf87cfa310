"""The mean runs over axis 1, which is the last one of a matrix only."""

import torch
from torch import Tensor


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    y = x.to(torch.promote_types(x.dtype, torch.float32))
    y = y * torch.rsqrt(y.square().mean(dim=min(1, x.ndim - 1), keepdim=True) + eps)
    return (y * weight).to(x.dtype)
