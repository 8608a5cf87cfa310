"""It is the mean of all weights so far, in which an old one counts as much as a
new one.
"""

import copy

import torch
from torch import nn


class EMA:
    def __init__(self, model: nn.Module, decay: float) -> None:
        self.decay = decay
        self.count = 1
        self.module = copy.deepcopy(model).eval().requires_grad_(False)

    @torch.no_grad()
    def update(self, model: nn.Module) -> None:
        self.count += 1
        for average, value in zip(self.module.parameters(), model.parameters()):
            average.lerp_(value, 1 / self.count)
        for average, value in zip(self.module.buffers(), model.buffers()):
            average.copy_(value)
