"""The factor is detached, but it depends on x, and the gradient has to go
through it.
"""

import torch
from torch import Tensor


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    y = x.to(torch.promote_types(x.dtype, torch.float32))
    y = y * torch.rsqrt(y.square().mean(dim=-1, keepdim=True) + eps).detach()
    return (y * weight).to(x.dtype)
