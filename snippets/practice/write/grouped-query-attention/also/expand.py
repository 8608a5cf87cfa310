import math

import torch
from torch import Tensor


def grouped_query_attention(
    q: Tensor, k: Tensor, v: Tensor, causal: bool = False
) -> Tensor:
    B, Hkv, S, D = k.shape
    r, rest = divmod(q.shape[1], Hkv)
    if rest or not r:
        raise ValueError("heads do not divide")
    k = k.unsqueeze(2).expand(-1, -1, r, -1, -1).reshape(B, Hkv * r, S, D)
    v = v.unsqueeze(2).expand(-1, -1, r, -1, -1).reshape(B, Hkv * r, S, D)
    scores = torch.matmul(q / math.sqrt(D), k.mT)
    if causal and q.shape[2] > 1:
        bias = torch.full(
            (q.shape[2], S), -math.inf, dtype=q.dtype, device=q.device
        )
        scores = scores + bias.triu(S - q.shape[2] + 1)
    return torch.matmul(torch.softmax(scores, -1), v)
