import math

import torch
from torch import Tensor


def grouped_query_attention(
    q: Tensor, k: Tensor, v: Tensor, causal: bool = False
) -> Tensor:
    B, Hq, T, D = q.shape
    Hkv, S = k.shape[1], k.shape[2]
    if Hq % Hkv != 0:
        raise ValueError(f"{Hq} query heads, {Hkv} key-value heads")
    q = (q / math.sqrt(D)).reshape(B, Hkv, Hq // Hkv, T, D)
    scores = torch.einsum("bgrtd,bgsd->bgrts", q, k)
    if causal:
        below = torch.full((T, S), -math.inf, dtype=q.dtype, device=q.device)
        scores = scores + below.triu(S - T + 1)
    # In the dtype of q, whatever it is.
    weights = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return torch.einsum("bgrts,bgsd->bgrtd", weights, v).reshape(B, Hq, T, D)
