from collections.abc import Callable

import torch
from torch import Tensor, nn


def average_gradients(
    model: nn.Module, all_reduce: Callable[[Tensor], None], world_size: int
) -> None:

    trained = [p for p in model.parameters() if p.requires_grad]
    for dtype in dict.fromkeys(p.dtype for p in trained):
        group = [p for p in trained if p.dtype == dtype]
        bucket = torch.cat(
            [
                (torch.zeros_like(p) if p.grad is None else p.grad).flatten()
                for p in group
            ]
        )
        all_reduce(bucket)
        start = 0
        for p in group:
            mean = bucket[start : start + p.numel()] / world_size
            p.grad = mean.reshape(p.shape)
            start += p.numel()
