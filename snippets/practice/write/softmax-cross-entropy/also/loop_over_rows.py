import torch
from torch import Tensor


def cross_entropy(
    logits: Tensor,
    targets: Tensor,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> tuple[Tensor, Tensor]:
    V = logits.shape[1]
    losses, rows = [], []
    for x, y in zip(logits, targets.tolist()):
        if y == ignore_index:
            rows.append(torch.zeros_like(x))
            continue
        log_p = x - x.max()
        log_p = log_p - log_p.exp().sum().log()
        target = torch.full_like(x, label_smoothing / V)
        target[y] += 1 - label_smoothing
        losses.append(-(target @ log_p))
        rows.append(log_p.exp() - target)
    count = max(1, len(losses))
    loss = sum(losses, start=torch.zeros((), device=logits.device)) / count
    return loss, torch.stack(rows) / count
