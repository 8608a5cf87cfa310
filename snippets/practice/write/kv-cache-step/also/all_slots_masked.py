import math
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class KVCache:
    k: Tensor
    v: Tensor
    length: int = 0


def attend(
    x: Tensor, cache: KVCache, w_qkv: Tensor, w_out: Tensor, n_heads: int
) -> Tensor:
    B, T, C = x.shape
    capacity = cache.k.shape[2]
    if cache.length + T > capacity:
        raise ValueError("too many tokens")
    slots = torch.arange(capacity, device=x.device)
    own = slots[cache.length : cache.length + T]
    q, k, v = (
        (x @ w_qkv.T).view(B, T, 3, n_heads, C // n_heads).permute(2, 0, 3, 1, 4)
    )
    cache.k.index_copy_(2, own, k)
    cache.v.index_copy_(2, own, v)
    cache.length += T
    scores = q @ cache.k.mT / math.sqrt(C / n_heads)
    scores.masked_fill_(slots > own[:, None], -math.inf)
    return (scores.softmax(-1) @ cache.v).transpose(1, 2).flatten(2) @ w_out.T
