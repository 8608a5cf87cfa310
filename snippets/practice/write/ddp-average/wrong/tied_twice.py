"""A tied weight is visited in both its modules, so its gradient is sent twice."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def average_gradients(
    model: nn.Module, all_reduce: Callable[[Tensor], None], world_size: int
) -> None:

    for module in model.modules():
        for p in module.parameters(recurse=False):
            if p.requires_grad:
                if p.grad is None:
                    p.grad = torch.zeros_like(p)
                all_reduce(p.grad)
                p.grad /= world_size
