"""Buffers are replaced by copies instead of written, so references to the old ones
no longer follow.
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
        for average, value in zip(self.module.parameters(), model.parameters()):
            average.lerp_(value, 1 - self.decay)
        for mine, theirs in zip(self.module.modules(), model.modules()):
            for name, value in theirs.named_buffers(recurse=False):
                setattr(mine, name, value.clone())
