"""The order depends on the rank's own gradients, so gradients of different
parameters meet."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def average_gradients(
    model: nn.Module, all_reduce: Callable[[Tensor], None], world_size: int
) -> None:

    trained = [p for p in model.parameters() if p.requires_grad]
    for p in trained:
        if p.grad is None:
            p.grad = torch.zeros_like(p)
    for p in sorted(trained, key=lambda p: float(p.grad.norm()), reverse=True):
        all_reduce(p.grad)
        p.grad /= world_size
