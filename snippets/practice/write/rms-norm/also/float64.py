import torch
from torch import Tensor


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    y = x.double()
    y = y * torch.rsqrt(y.square().mean(dim=-1, keepdim=True) + eps)
    return (y * weight).to(x.dtype)
