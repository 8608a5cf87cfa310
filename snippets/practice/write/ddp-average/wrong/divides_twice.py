"""Dividing before and after the sum divides by world_size squared."""

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
            p.grad /= world_size
            all_reduce(p.grad)
            p.grad /= world_size
