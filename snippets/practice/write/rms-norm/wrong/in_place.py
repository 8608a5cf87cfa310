"""x is scaled in place, which changes the caller's activations."""

import torch
from torch import Tensor


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    y = x.to(torch.promote_types(x.dtype, torch.float32)).detach()
    y *= torch.rsqrt(y.square().mean(dim=-1, keepdim=True) + eps)
    return (y * weight).to(x.dtype)
