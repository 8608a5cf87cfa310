import torch
from torch import Tensor


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """x / sqrt(mean(x**2) + eps) * weight, where the mean runs over the last axis.

    Args:
        x: (..., C), float16, bfloat16, float32 or float64, with any number of
            leading axes, or with none.
        weight: (C,), whose dtype may be another than that of x.
        eps: is added below the root.

    Returns:
        Shape and dtype of x. It is computed in at least float32, and in float64 if
        x is float64. Whether the weight is multiplied before or after the cast back
        is left open.
    """
    raise NotImplementedError
