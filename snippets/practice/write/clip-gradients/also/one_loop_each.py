from collections.abc import Iterable

import torch
from torch import Tensor


def clip_grad_norm(parameters: Iterable[Tensor], max_norm: float) -> Tensor:
    kept, total = [], 0.0
    for p in parameters:
        if p.grad is None:
            continue
        kept.append(p)
        total = total + (p.grad.detach().double() ** 2).sum()
    norm = torch.as_tensor(total) ** 0.5
    scale = max_norm / norm
    if scale < 1:
        with torch.no_grad():
            for p in kept:
                p.grad.copy_(p.grad * scale)
    return norm
