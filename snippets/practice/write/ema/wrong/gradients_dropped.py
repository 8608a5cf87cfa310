"""The copy is made from a model whose gradients were dropped, but the next step
needs them.
"""

import copy

import torch
from torch import nn


class EMA:
    def __init__(self, model: nn.Module, decay: float) -> None:
        self.decay = decay
        model.zero_grad()
        self.module = copy.deepcopy(model).eval().requires_grad_(False)

    @torch.no_grad()
    def update(self, model: nn.Module) -> None:
        for average, value in zip(self.module.parameters(), model.parameters()):
            average.lerp_(value, 1 - self.decay)
        for average, value in zip(self.module.buffers(), model.buffers()):
            average.copy_(value)
