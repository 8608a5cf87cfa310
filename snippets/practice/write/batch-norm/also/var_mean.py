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
        var, mean = torch.var_mean(x, axes, correction=0)
        running_mean.copy_((1 - momentum) * running_mean + momentum * mean.detach())
        running_var.copy_(torch.lerp(running_var, x.detach().var(axes), momentum))
    else:
        mean, var = running_mean, running_var
    shape = [1, -1] + [1] * (x.ndim - 2)  # lets (C,) broadcast against x
    scale = weight / torch.sqrt(var + eps)
    return (x - mean.view(shape)) * scale.view(shape) + bias.view(shape)
