import torch
from torch import Tensor


def cross_entropy(
    logits: Tensor,
    targets: Tensor,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> tuple[Tensor, Tensor]:
    gradient = torch.zeros_like(logits)
    rows = torch.nonzero(targets != ignore_index).flatten()
    if len(rows) == 0:
        return logits.new_zeros(()), gradient
    x, y = logits[rows], targets[rows]
    x = x - x.max(dim=-1, keepdim=True).values
    e = x.exp()
    total = e.sum(dim=-1)
    each = torch.arange(len(rows), device=x.device)
    hard = total.log() - x[each, y]
    soft = total.log() - x.mean(dim=-1)
    loss = ((1 - label_smoothing) * hard + label_smoothing * soft).mean()
    slope = e / total[:, None] - label_smoothing / x.shape[-1]
    slope[each, y] -= 1 - label_smoothing
    gradient[rows] = slope / len(rows)
    return loss, gradient
