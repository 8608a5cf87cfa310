import torch
from torch import Tensor


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    w = weight.float()
    low, high = torch.aminmax(w, dim=1, keepdim=True)
    largest = torch.maximum(-low, high)
    scale = torch.where(largest == 0, 127.0, largest) / 127
    return torch.round(w * (1 / scale)).to(torch.int8), scale
