"""Evaluation uses the statistics of the batch, so an example's result depends
on its neighbors.
"""

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
    if training:
        n = x.numel() // x.shape[1]  # values per channel
        if n == 1:
            raise ValueError("training needs more than one value per channel")
        axes = [0, *range(2, x.ndim)]
        mean, var = x.mean(axes), x.var(axes, correction=0)
        with torch.no_grad():
            running_mean.lerp_(mean, momentum)
            running_var.lerp_(var * n / (n - 1), momentum)
    else:
        axes = [0, *range(2, x.ndim)]
        mean, var = x.mean(axes), x.var(axes, correction=0)
    shape = [1, -1] + [1] * (x.ndim - 2)  # lets (C,) broadcast against x
    y = (x - mean.view(shape)) * torch.rsqrt(var + eps).view(shape)
    return y * weight.view(shape) + bias.view(shape)
