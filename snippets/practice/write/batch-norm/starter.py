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
    """Batch norm, for training and for evaluation. All tensors have the same dtype,
    float32 or float64.

    Args:
        x: (N, C) or (N, C, H, W). The mean of a channel may be 1000 times as large
            as its deviation.
        weight, bias: (C,), the factor and the summand of each channel.
        running_mean, running_var: (C,), which require no gradient. They are written
            in place in training, and only read in evaluation.
        training: normalize with the mean and the biased variance of the batch, or
            else with the running ones.
        momentum: m in running = (1 - m) * running + m * batch. The variance that
            goes into running_var is the unbiased one.
        eps: is added to the variance, below the root.

    Returns:
        Shape, dtype and device of x. The gradient of x flows through the statistics
        of the batch, too.

    Raises:
        ValueError: training, and x has one value per channel.
    """
    raise NotImplementedError
