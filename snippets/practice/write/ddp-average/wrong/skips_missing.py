"""A rank without this gradient skips a call that the others wait in: the job
hangs, or gradients of different parameters meet."""

from collections.abc import Callable

from torch import Tensor, nn


def average_gradients(
    model: nn.Module, all_reduce: Callable[[Tensor], None], world_size: int
) -> None:

    for p in model.parameters():
        if p.requires_grad and p.grad is not None:
            all_reduce(p.grad)
            p.grad /= world_size
