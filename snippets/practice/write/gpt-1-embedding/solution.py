import torch
from torch import Tensor, nn


class TokenEmbedding(nn.Module):
    def __init__(self, vocabulary: int, dim: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(vocabulary, dim))
        nn.init.normal_(self.weight, std=0.02)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.weight[tokens]

    def logits(self, hidden: Tensor) -> Tensor:
        return hidden @ self.weight.T
