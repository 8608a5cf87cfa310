import torch
from torch import Tensor


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    q = torch.empty_like(weight, dtype=torch.int8)
    scale = torch.empty(len(weight), 1, device=weight.device)
    for i, row in enumerate(weight.double()):
        largest = row.abs().max()
        scale[i] = largest / 127 if largest > 0 else 1.0
        q[i] = torch.round(row / scale[i]).to(torch.int8)
    return q, scale
