from collections.abc import Callable

import torch
from torch import Tensor, nn


def average_gradients(
    model: nn.Module, all_reduce: Callable[[Tensor], None], world_size: int
) -> None:
    """Average the gradients of all ranks, between backward and the optimizer step.

    Args:
        model: this rank's copy. Gradients may have any dtype and strides. One is
            None if this rank did not use its parameter.
        all_reduce: sums a tensor in place over all ranks. Every rank has to make
            the same calls in the same order, with the same shapes and dtypes, else
            the job hangs.
        world_size: how many ranks there are.

    Effect:
        The p.grad of every parameter that requires one is the mean over the ranks;
        a missing one counts as zeros. Where no rank had one, None is right, too.
        Frozen parameters are not communicated, and no gradient is sent twice, not
        even that of a tied weight.
    """
    raise NotImplementedError
