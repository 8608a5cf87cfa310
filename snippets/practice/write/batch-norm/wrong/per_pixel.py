"""The statistics are those of each pixel, over the batch only; an image has one
mean per channel.
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
        n = len(x)
        if n == 1:
            raise ValueError("training needs more than one value per channel")
        axes = [0]
        mean, var = x.mean(axes), x.var(axes, correction=0)
        with torch.no_grad():
            inner = list(range(1, mean.ndim))
            running_mean.lerp_(mean.mean(inner) if inner else mean, momentum)
            spread = var.mean(inner) if inner else var
            running_var.lerp_(spread * n / (n - 1), momentum)
    else:
        mean, var = running_mean, running_var
    shape = [1, -1] + [1] * (x.ndim - 2)  # lets (C,) broadcast against x
    own = [1, *mean.shape] if training else shape
    y = (x - mean.view(own)) * torch.rsqrt(var + eps).view(own)
    return y * weight.view(shape) + bias.view(shape)
