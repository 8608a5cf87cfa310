"""A parameter that was frozen later still has a gradient on some ranks, and it is
communicated there.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def average_gradients(
    model: nn.Module, all_reduce: Callable[[Tensor], None], world_size: int
) -> None:

    for p in model.parameters():
        if p.requires_grad or p.grad is not None:
            if p.grad is None:
                p.grad = torch.zeros_like(p)
            all_reduce(p.grad)
            p.grad /= world_size
