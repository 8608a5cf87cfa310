import torch.nn.functional as F
from torch import Tensor, nn


class Block(nn.Module):
    def __init__(self, dim: int, attention: nn.Module) -> None:
        super().__init__()
        self.norm_1 = nn.LayerNorm(dim)
        self.attention = attention
        self.norm_2 = nn.LayerNorm(dim)
        self.up = nn.Linear(dim, 4 * dim, bias=False)
        self.down = nn.Linear(4 * dim, dim, bias=False)

    def forward(self, x: Tensor, past=None) -> Tensor:
        x = x + self.attention(self.norm_1(x), past)
        return x + self.down(F.gelu(self.up(self.norm_2(x))))
