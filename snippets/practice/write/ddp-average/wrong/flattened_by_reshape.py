"""reshape copies a gradient that is not contiguous, and its sum goes into the
copy."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def average_gradients(
    model: nn.Module, all_reduce: Callable[[Tensor], None], world_size: int
) -> None:

    for p in model.parameters():
        if p.requires_grad:
            if p.grad is None:
                p.grad = torch.zeros_like(p)
            flat = p.grad.reshape(-1)
            all_reduce(flat)
            flat /= world_size
