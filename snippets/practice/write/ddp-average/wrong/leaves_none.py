"""A rank that had no gradient takes part in the sum and keeps None, so its next
step differs from that of the others."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def average_gradients(
    model: nn.Module, all_reduce: Callable[[Tensor], None], world_size: int
) -> None:

    for p in model.parameters():
        if p.requires_grad:
            total = torch.zeros_like(p) if p.grad is None else p.grad.clone()
            all_reduce(total)
            p.grad = None if p.grad is None else total / world_size
