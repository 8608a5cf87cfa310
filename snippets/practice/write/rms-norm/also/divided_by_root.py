import torch
from torch import Tensor


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    y = x.to(torch.promote_types(x.dtype, torch.float32))
    y = y / (y.pow(2).mean(-1, keepdim=True) + eps).sqrt()
    return (y * weight).to(x.dtype)
