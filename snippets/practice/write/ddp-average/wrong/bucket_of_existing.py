"""The bucket holds the gradients that exist on this rank: its length or its order
differs from rank to rank."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def average_gradients(
    model: nn.Module, all_reduce: Callable[[Tensor], None], world_size: int
) -> None:

    grads = [p.grad for p in model.parameters() if p.grad is not None]
    bucket = torch.cat([grad.reshape(-1) for grad in grads])
    all_reduce(bucket)
    for grad, mean in zip(
        grads, (bucket / world_size).split([g.numel() for g in grads])
    ):
        grad.copy_(mean.view_as(grad))
