"""The weight is a float32 tensor, so float64 averages lose their digits."""

import copy

import torch
from torch import nn


class EMA:
    def __init__(self, model: nn.Module, decay: float) -> None:
        self.decay = decay
        self.module = copy.deepcopy(model).eval().requires_grad_(False)

    @torch.no_grad()
    def update(self, model: nn.Module) -> None:
        for average, value in zip(self.module.parameters(), model.parameters()):
            average.lerp_(value, torch.tensor(1 - self.decay))
        for average, value in zip(self.module.buffers(), model.buffers()):
            average.copy_(value)
