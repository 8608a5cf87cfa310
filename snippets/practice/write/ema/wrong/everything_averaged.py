"""The whole state_dict is averaged, but it also holds buffers, and one of them is
a count of batches.
"""

import copy

import torch
from torch import nn


class EMA:
    def __init__(self, model: nn.Module, decay: float) -> None:
        self.decay = decay
        self.module = copy.deepcopy(model).eval().requires_grad_(False)

    @torch.no_grad()
    def update(self, model: nn.Module) -> None:
        averages = self.module.state_dict().values()
        for average, value in zip(averages, model.state_dict().values()):
            average.mul_(self.decay).add_(value, alpha=1 - self.decay)
