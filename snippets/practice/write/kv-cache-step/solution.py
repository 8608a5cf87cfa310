import math
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class KVCache:
    k: Tensor  # (B, H, capacity, D)
    v: Tensor  # (B, H, capacity, D)
    length: int = 0  # positions in use


def attend(
    x: Tensor, cache: KVCache, w_qkv: Tensor, w_out: Tensor, n_heads: int
) -> Tensor:
    B, T, C = x.shape
    start, end = cache.length, cache.length + T
    if end > cache.k.shape[2]:
        raise ValueError(f"{end} tokens do not fit into the cache")
    q, k, v = (
        part.reshape(B, T, n_heads, C // n_heads).transpose(1, 2)  # (B, H, T, D)
        for part in (x @ w_qkv.T).chunk(3, dim=-1)
    )
    cache.k[:, :, start:end] = k
    cache.v[:, :, start:end] = v
    cache.length = end
    keys, values = cache.k[:, :, :end], cache.v[:, :, :end]
    scores = q @ keys.transpose(-2, -1) / math.sqrt(C // n_heads)  # (B, H, T, end)
    # Query i is at position start + i.
    allowed = torch.ones(T, end, dtype=torch.bool, device=x.device).tril(start)
    heads = scores.masked_fill(~allowed, -math.inf).softmax(dim=-1) @ values
    return heads.transpose(1, 2).reshape(B, T, C) @ w_out.T
