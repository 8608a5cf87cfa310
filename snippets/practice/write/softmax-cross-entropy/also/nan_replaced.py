import torch
from torch import Tensor


def cross_entropy(
    logits: Tensor,
    targets: Tensor,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> tuple[Tensor, Tensor]:
    counted = (targets != ignore_index)[:, None]
    n = counted.sum()  # 0 if nothing counts
    shifted = logits - logits.amax(dim=1, keepdim=True)
    log_p = shifted - shifted.exp().sum(dim=1, keepdim=True).log()
    index = targets[:, None] % logits.shape[1]  # a class, if the wrong one
    one_hot = torch.zeros_like(logits).scatter_(1, index, 1.0)
    wanted = (1 - label_smoothing) * one_hot + label_smoothing / logits.shape[1]
    loss = -(wanted * log_p * counted).sum() / n
    gradient = (log_p.exp() - wanted) * counted / n
    return loss.nan_to_num(0.0), gradient.nan_to_num(0.0)
