import torch
from torch import Tensor


def batch_norm(
    x: Tensor,
    weight: Tensor,
    bias: Tensor,
    running_mean: Tensor,
    running_var: Tensor,
    training: bool,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    rows = x.movedim(1, -1)
    inner = rows.shape
    rows = rows.reshape(-1, inner[-1])  # (N * H * W, C)
    if training and len(rows) < 2:
        raise ValueError("one value per channel")
    mean, var = running_mean, running_var
    if training:
        mean = rows.sum(0) / len(rows)
        centered = rows - mean
        var = (centered * centered).sum(0) / len(rows)
        with torch.no_grad():
            sample = (centered * centered).sum(0) / (len(rows) - 1)
            running_mean += momentum * (mean - running_mean)
            running_var += momentum * (sample - running_var)
    rows = (rows - mean) / (var + eps) ** 0.5 * weight + bias
    return rows.reshape(inner).movedim(-1, 1)
