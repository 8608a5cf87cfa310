from collections.abc import Callable

import torch
from torch import Tensor, nn


def average_gradients(
    model: nn.Module, all_reduce: Callable[[Tensor], None], world_size: int
) -> None:

    for _, param in reversed(list(model.named_parameters())):
        if not param.requires_grad:
            continue
        mean = torch.zeros_like(param, memory_format=torch.contiguous_format)
        if param.grad is not None:
            mean += param.grad / world_size
        all_reduce(mean)
        param.grad = mean
