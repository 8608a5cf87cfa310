"""Gradients of parameters that were frozen since are left out, although they are
gradients of the model.
"""

from collections.abc import Iterable

import torch
from torch import Tensor


def clip_grad_norm(parameters: Iterable[Tensor], max_norm: float) -> Tensor:
    grads = [p.grad for p in parameters if p.requires_grad and p.grad is not None]
    # Not in float16, where the square of 300 is inf.
    squares = [grad.float().square().sum() for grad in grads]
    norm = sum(squares, torch.zeros(())).sqrt()
    if norm > max_norm:
        for grad in grads:
            grad.mul_(max_norm / norm)
    return norm
