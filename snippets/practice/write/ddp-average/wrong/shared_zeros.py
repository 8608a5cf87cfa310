"""Missing gradients of one shape are the same tensor of zeros, so the sum of one
parameter becomes the gradient of another.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def average_gradients(
    model: nn.Module, all_reduce: Callable[[Tensor], None], world_size: int
) -> None:

    zeros: dict = {}
    for p in model.parameters():
        if p.requires_grad and p.grad is None:
            key = (p.shape, p.dtype)
            zeros.setdefault(key, torch.zeros_like(p))
            p.grad = zeros[key]
    for p in model.parameters():
        if p.requires_grad:
            all_reduce(p.grad)
            p.grad /= world_size
