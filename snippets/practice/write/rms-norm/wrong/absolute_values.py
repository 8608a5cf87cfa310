"""The mean of the absolute values is taken and not the root of the mean of the
squares.
"""

import torch
from torch import Tensor


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    y = x.to(torch.promote_types(x.dtype, torch.float32))
    y = y / (y.abs().mean(dim=-1, keepdim=True) + eps)
    return (y * weight).to(x.dtype)
