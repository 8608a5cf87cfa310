"""Values are converted to uint8, so that negative weights wrap round."""

import torch
from torch import Tensor


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    w = weight.float()
    scale = w.abs().amax(dim=1, keepdim=True) / 127
    scale = scale.masked_fill(scale == 0, 1.0)
    return (w / scale).round().to(torch.uint8), scale
