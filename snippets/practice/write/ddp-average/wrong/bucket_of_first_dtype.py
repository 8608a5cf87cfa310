"""There is one bucket of the first parameter's dtype, in which the others lose
digits.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def average_gradients(
    model: nn.Module, all_reduce: Callable[[Tensor], None], world_size: int
) -> None:

    trained = [p for p in model.parameters() if p.requires_grad]
    sizes = [p.numel() for p in trained]
    first = trained[0]
    bucket = torch.zeros(sum(sizes), dtype=first.dtype, device=first.device)
    for p, piece in zip(trained, bucket.split(sizes)):
        if p.grad is not None:
            piece.copy_(p.grad.flatten())
    all_reduce(bucket)
    for p, piece in zip(trained, bucket.split(sizes)):
        p.grad = (piece / world_size).reshape(p.shape).to(p.dtype)
