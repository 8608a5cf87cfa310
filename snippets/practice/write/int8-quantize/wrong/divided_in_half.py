"""The scale is float32, but the weights are divided in their own dtype, so values
near a tie are rounded to the wrong side."""

import torch
from torch import Tensor


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    w = weight.float()
    scale = w.abs().amax(dim=1, keepdim=True) / 127
    scale = scale.masked_fill(scale == 0, 1.0)
    ratio = weight / weight.abs().amax(dim=1, keepdim=True)
    return (ratio.nan_to_num(0.0) * 127).round().to(torch.int8), scale
