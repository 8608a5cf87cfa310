import torch
from torch import Tensor


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    w = weight.detach().float()
    scale = w.abs().max(dim=1, keepdim=True).values.div(127.0)
    scale[scale == 0] = 1.0
    scale = scale.clamp(min=1e-30)
    q = torch.clamp(torch.round(w / scale), -127, 127)
    return q.to(torch.int8), scale
