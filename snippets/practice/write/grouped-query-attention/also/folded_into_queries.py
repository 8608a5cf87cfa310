import math

import torch
from torch import Tensor


def grouped_query_attention(
    q: Tensor, k: Tensor, v: Tensor, causal: bool = False
) -> Tensor:
    B, Hq, T, D = q.shape
    Hkv, S = k.shape[1], k.shape[2]
    if Hq % Hkv:
        raise ValueError("heads do not divide")
    r = Hq // Hkv
    # The r heads of a group stand below each other: k is used once, not copied.
    scores = q.reshape(B, Hkv, r * T, D) @ k.mT / math.sqrt(D)
    if causal:
        allowed = torch.ones(T, S, dtype=torch.bool, device=q.device).tril(S - T)
        scores = scores.masked_fill(~allowed.repeat(r, 1), -math.inf)
    return (scores.softmax(-1) @ v).reshape(B, Hq, T, D)
