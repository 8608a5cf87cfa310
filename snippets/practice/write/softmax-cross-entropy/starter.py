import torch
from torch import Tensor


def cross_entropy(
    logits: Tensor,
    targets: Tensor,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> tuple[Tensor, Tensor]:
    """Softmax cross-entropy and its gradient. It is called under torch.no_grad().

    Args:
        logits: (N, V) float32 or float64, finite and of any size, such as 1e4.
        targets: (N,) int64, from 0 to V - 1, or ignore_index.
        ignore_index: positions with this target do not count. It may be a class.
        label_smoothing: s, from 0 to 1. The target distribution of a position is
            (1 - s) * one_hot + s / V, over all V classes.

    Returns:
        loss: 0-dim, the mean over the positions that count, or 0 if none does.
        gradient: (N, V), of the loss with respect to the logits, in their dtype. It
            is exactly 0 in the rows that do not count.
    """
    raise NotImplementedError
