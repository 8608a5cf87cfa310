"""0.5 is added and the cast truncates toward zero, so negative values round up."""

import torch
from torch import Tensor


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    w = weight.float()
    scale = w.abs().amax(dim=1, keepdim=True) / 127
    scale = scale.masked_fill(scale == 0, 1.0)
    return (w / scale + 0.5).to(torch.int8), scale
