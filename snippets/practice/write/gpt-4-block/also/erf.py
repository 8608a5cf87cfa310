import math

import torch
from torch import Tensor, nn


class Block(nn.Module):
    def __init__(self, dim: int, attention: nn.Module) -> None:
        super().__init__()
        self.attention = attention
        self.norm_1, self.norm_2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.up = nn.Linear(dim, 4 * dim, bias=False)
        self.down = nn.Linear(4 * dim, dim, bias=False)

    def forward(self, x: Tensor, past=None) -> Tensor:
        mixed = torch.add(x, self.attention(self.norm_1(x), past))
        wide = self.up(self.norm_2(mixed))
        wide = wide * 0.5 * (1 + torch.erf(wide / math.sqrt(2)))
        return torch.add(mixed, self.down(wide))
