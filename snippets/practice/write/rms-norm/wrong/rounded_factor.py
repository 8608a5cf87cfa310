"""The mean is computed in float32, but the factor of the row is rounded to the
dtype of x before it is used.
"""

import torch
from torch import Tensor


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    y = x.to(torch.promote_types(x.dtype, torch.float32))
    scale = torch.rsqrt(y.square().mean(dim=-1, keepdim=True) + eps)
    y = x * scale.to(x.dtype)
    return (y * weight).to(x.dtype)
