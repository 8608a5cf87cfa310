"""The decay is kept on the class, so all averages use the one of the last."""

import copy

import torch
from torch import nn


class EMA:
    def __init__(self, model: nn.Module, decay: float) -> None:
        EMA.decay = decay
        self.module = copy.deepcopy(model).eval().requires_grad_(False)

    @torch.no_grad()
    def update(self, model: nn.Module) -> None:
        for average, value in zip(self.module.parameters(), model.parameters()):
            average.lerp_(value, 1 - self.decay)
        for average, value in zip(self.module.buffers(), model.buffers()):
            average.copy_(value)
