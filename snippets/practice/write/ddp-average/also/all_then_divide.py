from collections.abc import Callable

import torch
from torch import Tensor, nn


def average_gradients(
    model: nn.Module, all_reduce: Callable[[Tensor], None], world_size: int
) -> None:

    with torch.no_grad():
        params = [p for p in model.parameters() if p.requires_grad]
        for p in params:
            if p.grad is None:
                p.grad = p.new_zeros(p.shape)
        for p in params:
            all_reduce(p.grad)
        for p in params:
            p.grad.mul_(1 / world_size)
