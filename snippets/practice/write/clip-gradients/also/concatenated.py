from collections.abc import Iterable

import torch
from torch import Tensor


def clip_grad_norm(parameters: Iterable[Tensor], max_norm: float) -> Tensor:
    parameters = [p for p in parameters if p.grad is not None]
    if not parameters:
        return torch.zeros([])
    flat = torch.cat([p.grad.reshape(-1).to(torch.float64) for p in parameters])
    norm = flat.norm(p=2)
    if norm.item() > max_norm:
        for p in parameters:
            p.grad = (p.grad * (max_norm / norm)).to(p.dtype)
    return norm
