"""Only half precision is cast back: with a float64 weight, float32 in becomes
float64 out.
"""

import torch
from torch import Tensor


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    y = x.to(torch.promote_types(x.dtype, torch.float32))
    y = y * torch.rsqrt(y.square().mean(dim=-1, keepdim=True) + eps)
    y = y * weight
    return y.to(x.dtype) if x.dtype.itemsize == 2 else y
