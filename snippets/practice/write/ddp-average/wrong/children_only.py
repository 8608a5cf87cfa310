"""The parameters of the direct children are averaged, but those of the model itself
are not.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def average_gradients(
    model: nn.Module, all_reduce: Callable[[Tensor], None], world_size: int
) -> None:

    for layer in model.children():
        for p in layer.parameters():
            if p.requires_grad:
                if p.grad is None:
                    p.grad = torch.zeros_like(p)
                all_reduce(p.grad)
                p.grad /= world_size
