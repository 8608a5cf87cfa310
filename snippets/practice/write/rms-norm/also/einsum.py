import torch
from torch import Tensor


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    y = x.to(torch.promote_types(x.dtype, torch.float32))
    squares = torch.einsum("...c,...c->...", y, y) / weight.numel()
    y = y / torch.sqrt(squares + eps).unsqueeze(-1)
    return (y * weight).to(x.dtype)
