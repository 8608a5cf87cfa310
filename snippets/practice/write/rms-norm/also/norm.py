import torch
from torch import Tensor


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    y = x.to(torch.promote_types(x.dtype, torch.float32))
    y = y * torch.rsqrt(y.norm(dim=-1, keepdim=True) ** 2 / y.shape[-1] + eps)
    return (y * weight).to(x.dtype)
