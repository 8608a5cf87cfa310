"""The norm of all gradients together is not the sum of their norms, but the root
of the sum of their squares."""

from collections.abc import Iterable

import torch
from torch import Tensor


def clip_grad_norm(parameters: Iterable[Tensor], max_norm: float) -> Tensor:
    grads = [p.grad for p in parameters if p.grad is not None]
    # Not in float16, where the square of 300 is inf.
    squares = [grad.float().norm() for grad in grads]
    norm = sum(squares, torch.zeros(()))
    if norm > max_norm:
        for grad in grads:
            grad.mul_(max_norm / norm)
    return norm
