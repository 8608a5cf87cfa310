import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.out = nn.Linear(dim, dim, bias=False)

    def forward(self, x: Tensor, past=None) -> Tensor:
        B, T, dim = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        if past is not None:
            k, v = past.update(k, v)
        S = k.shape[2]
        # Row t of x is row S - T + t of all tokens.
        seen = torch.ones(T, S, dtype=torch.bool, device=x.device).tril(S - T)
        heads = F.scaled_dot_product_attention(q, k, v, attn_mask=seen)
        return self.out(heads.transpose(1, 2).reshape(B, T, dim))
