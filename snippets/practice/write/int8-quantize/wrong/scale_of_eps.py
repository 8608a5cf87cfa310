"""A lower bound of the scale, here float32's eps, makes zeros of a row of far
smaller weights."""

import torch
from torch import Tensor


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    w = weight.float()
    scale = w.abs().amax(dim=1, keepdim=True) / 127
    scale = scale.clamp(min=torch.finfo(torch.float32).eps)
    scale = scale.masked_fill(~w.any(dim=1, keepdim=True), 1.0)
    return (w / scale).round().to(torch.int8), scale
