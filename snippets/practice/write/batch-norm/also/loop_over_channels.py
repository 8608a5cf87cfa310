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
    channels = []
    for c in range(x.shape[1]):
        values = x[:, c]
        if training:
            if values.numel() <= 1:
                raise ValueError("need at least two values per channel")
            mean, var = values.mean(), values.var(unbiased=False)
            new_mean = (1 - momentum) * running_mean[c] + momentum * mean.detach()
            new_var = (1 - momentum) * running_var[
                c
            ] + momentum * values.detach().var()
            running_mean[c] = new_mean
            running_var[c] = new_var
        else:
            mean, var = running_mean[c], running_var[c]
        channels.append((values - mean) / (var + eps).sqrt() * weight[c] + bias[c])
    return torch.stack(channels, dim=1)
