"""Everything is summed in one float32 bucket, in which float64 gradients lose their
digits.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def average_gradients(
    model: nn.Module, all_reduce: Callable[[Tensor], None], world_size: int
) -> None:

    trained = [p for p in model.parameters() if p.requires_grad]
    grads = [torch.zeros_like(p) if p.grad is None else p.grad for p in trained]
    bucket = torch.cat([grad.float().flatten() for grad in grads])
    all_reduce(bucket)
    means = (bucket / world_size).split([p.numel() for p in trained])
    for p, mean in zip(trained, means):
        p.grad = mean.reshape(p.shape).to(p.dtype)
