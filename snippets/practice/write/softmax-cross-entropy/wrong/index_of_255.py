"""The index is clamped from below, which makes a class of -100, but not of 255."""

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
    index = targets[:, None].clamp(min=0)
    one_hot = torch.zeros_like(logits).scatter_(1, index, 1.0)
    wanted = (1 - label_smoothing) * one_hot + label_smoothing / logits.shape[1]
    loss = -(wanted * log_p * counted).sum() / n
    gradient = (log_p.exp() - wanted) * counted / n
    return loss, gradient
