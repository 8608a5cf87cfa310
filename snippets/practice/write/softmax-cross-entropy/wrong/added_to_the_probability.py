"""A small number in the logarithm bounds the loss: -log(1e-12) is 28, however wrong
the logits are."""

import torch
from torch import Tensor


def cross_entropy(
    logits: Tensor,
    targets: Tensor,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> tuple[Tensor, Tensor]:
    counted = (targets != ignore_index)[:, None]
    n = counted.sum().clamp(min=1)
    shifted = logits - logits.amax(dim=1, keepdim=True)
    p = shifted.exp() / shifted.exp().sum(dim=1, keepdim=True)
    log_p = (p + 1e-12).log()
    index = targets[:, None].where(counted, 0)  # any class: such rows do not count
    one_hot = torch.zeros_like(logits).scatter_(1, index, 1.0)
    wanted = (1 - label_smoothing) * one_hot + label_smoothing / logits.shape[1]
    loss = -(wanted * log_p * counted).sum() / n
    gradient = (p - wanted) * counted / n
    return loss, gradient
