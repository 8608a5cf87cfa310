"""A generator is empty in the second loop, so nothing is scaled."""

from collections.abc import Iterable

import torch
from torch import Tensor


def clip_grad_norm(parameters: Iterable[Tensor], max_norm: float) -> Tensor:
    squares = [
        p.grad.float().square().sum() for p in parameters if p.grad is not None
    ]
    norm = sum(squares, torch.zeros(())).sqrt()
    if norm > max_norm:
        for p in parameters:
            if p.grad is not None:
                p.grad.mul_(max_norm / norm)
    return norm
