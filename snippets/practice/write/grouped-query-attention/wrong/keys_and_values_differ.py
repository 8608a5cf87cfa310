"""Keys are repeated head by head and values as a whole, so keys and values of
different heads meet."""

import math

import torch
from torch import Tensor


def grouped_query_attention(
    q: Tensor, k: Tensor, v: Tensor, causal: bool = False
) -> Tensor:
    Hq, T, D = q.shape[1:]
    Hkv, S = k.shape[1:3]
    if Hq % Hkv:
        raise ValueError(f"{Hkv} key-value heads do not divide {Hq} query heads")
    k = k.repeat_interleave(Hq // Hkv, dim=1)
    v = v.repeat(1, Hq // Hkv, 1, 1)
    scores = q @ k.transpose(-2, -1) / math.sqrt(D)  # (B, Hq, T, S)
    if causal:
        allowed = torch.ones(T, S, dtype=torch.bool, device=q.device).tril(S - T)
        scores = scores.masked_fill(~allowed, -math.inf)
    return scores.softmax(dim=-1) @ v
