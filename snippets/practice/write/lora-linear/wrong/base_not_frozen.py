"""The base is not frozen, so its weight and its bias are trained, too."""

import torch
from torch import Tensor, nn


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, rank: int, alpha: float) -> None:
        super().__init__()
        if rank < 1:
            raise ValueError(f"the rank is {rank}, and has to be at least 1")
        self.base = base
        self.lora_a = nn.Parameter(base.weight.new_zeros(rank, base.in_features))
        self.lora_b = nn.Parameter(base.weight.new_zeros(base.out_features, rank))
        nn.init.kaiming_uniform_(self.lora_a)  # lora_b stays zero
        self.scale = alpha / rank
        self.merged = False

    def forward(self, x: Tensor) -> Tensor:
        y = self.base(x)
        if self.merged:
            return y
        return y + x @ self.lora_a.T @ self.lora_b.T * self.scale

    @torch.no_grad()
    def merge(self) -> None:
        if not self.merged:
            self.base.weight += self.lora_b @ self.lora_a * self.scale
            self.merged = True

    @torch.no_grad()
    def unmerge(self) -> None:
        if self.merged:
            self.base.weight -= self.lora_b @ self.lora_a * self.scale
            self.merged = False
