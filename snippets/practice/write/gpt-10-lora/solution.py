import math

import torch
from torch import Tensor, nn


class LoRA(nn.Module):
    def __init__(self, base: nn.Linear, rank: int, alpha: float) -> None:
        super().__init__()
        self.base, self.scale = base, alpha / rank
        out, size = base.weight.shape
        self.a = nn.Parameter(base.weight.new_empty(rank, size))
        self.b = nn.Parameter(base.weight.new_zeros(out, rank))
        nn.init.normal_(self.a, std=1 / math.sqrt(size))

    def forward(self, x: Tensor) -> Tensor:
        return self.base(x) + self.scale * (x @ self.a.T @ self.b.T)


def add_lora(model: nn.Module, rank: int, alpha: float, name: str) -> list[Tensor]:
    model.requires_grad_(False)
    for owner in list(model.modules()):
        layer = getattr(owner, name, None)
        if isinstance(layer, nn.Linear):
            setattr(owner, name, LoRA(layer, rank, alpha))
    return [one for one in model.parameters() if one.requires_grad]


@torch.no_grad()
def merge_lora(model: nn.Module) -> None:
    for owner in list(model.modules()):
        for name, layer in list(owner.named_children()):
            if isinstance(layer, LoRA):
                layer.base.weight += layer.scale * (layer.b @ layer.a)
                setattr(owner, name, layer.base)
