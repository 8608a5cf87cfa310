import torch
from torch import Tensor, nn


class Positions(nn.Module):
    def __init__(self, max_length: int, dim: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(max_length, dim))
        nn.init.normal_(self.weight, std=0.02)

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        end = start + x.shape[1]
        if end > len(self.weight):
            raise ValueError(f"{end} tokens, but {len(self.weight)} positions")
        return x + self.weight[start:end]
