import math

import torch
from torch import Tensor, nn


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.dim, self.heads = dim, heads
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.out = nn.Linear(dim, dim, bias=False)

    def split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x: Tensor, past=None) -> Tensor:
        q, k, v = map(self.split, self.qkv(x).chunk(3, dim=-1))
        if past is not None:
            k, v = past.update(k, v)
        T, S = q.shape[-2], k.shape[-2]
        scores = q @ k.mT / math.sqrt(self.dim // self.heads)
        query = torch.arange(S - T, S, device=x.device)[:, None]
        later = torch.arange(S, device=x.device) > query
        weights = scores.masked_fill(later, -math.inf).softmax(dim=-1)
        return self.out((weights @ v).transpose(1, 2).flatten(2))
