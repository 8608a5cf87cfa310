"""eps is added after the root, so rows of small numbers come out much larger."""

import torch
from torch import Tensor


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    y = x.to(torch.promote_types(x.dtype, torch.float32))
    y = y / (y.square().mean(dim=-1, keepdim=True).sqrt() + eps)
    return (y * weight).to(x.dtype)
