import math

import torch
from torch import Tensor, nn


def fit(
    model: nn.Module,
    batches: list[Tensor],
    lr: float = 1e-3,
    warmup: int = 10,
    decay: float = 0.1,
    max_norm: float = 1.0,
) -> list[float]:
    """Train a language model for one step on each batch.

    model.loss(batch) is the loss. The optimizer is AdamW with betas 0.9 and 0.95
    and eps 1e-8. It decays the parameters that have at least two dimensions, by
    decay, and no others. Those that need no gradient stay as they are.

    The learning rate of step s, counted from 0, of N steps is lr times

        (s + 1) / warmup                                          if s < warmup
        0.1 + 0.45 * (1 + cos(pi * (s - warmup) / (N - warmup)))  if not

    Before each step the gradients of all parameters together are clipped to the
    norm max_norm. A gradient that the model had before the call does not count.

    Args:
        batches: N of them, each whatever model.loss takes. N may be 0, and may be
            less than warmup.
        warmup: at least 1.

    Returns:
        The loss of each step, before it, as N floats. The model is in training mode
        while it is trained and afterwards.
    """
    raise NotImplementedError
