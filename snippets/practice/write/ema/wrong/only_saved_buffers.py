"""Only buffers in the state_dict are copied, but not all buffers are there."""

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
        mine = self.module.state_dict()
        parameters = dict(model.named_parameters(remove_duplicate=False))
        for name, value in model.state_dict().items():
            if name not in parameters:
                mine[name].copy_(value)
