"""A mean of zeros becomes None, so the optimizer leaves the parameter out, with its
momentum and its weight decay.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def average_gradients(
    model: nn.Module, all_reduce: Callable[[Tensor], None], world_size: int
) -> None:

    for p in model.parameters():
        if p.requires_grad:
            if p.grad is None:  # other ranks wait for this call
                p.grad = torch.zeros_like(p)
            all_reduce(p.grad)
            p.grad /= world_size
            if not p.grad.any():
                p.grad = None
