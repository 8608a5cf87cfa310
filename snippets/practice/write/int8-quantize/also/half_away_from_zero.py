import torch
from torch import Tensor


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    weight = weight.to(torch.float32)
    largest = torch.linalg.vector_norm(weight, ord=float("inf"), dim=-1)[:, None]
    scale = torch.where(largest > 0, largest / 127, torch.ones_like(largest))
    steps = weight / scale
    return (steps.sign() * (steps.abs() + 0.5).floor()).to(torch.int8), scale
