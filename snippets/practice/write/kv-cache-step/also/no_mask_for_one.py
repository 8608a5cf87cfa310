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
    D = C // n_heads
    start, end = cache.length, cache.length + T
    if end > cache.k.shape[2]:
        raise ValueError("too many tokens")
    w_q, w_k, w_v = w_qkv.split(C)
    q = (x @ w_q.T).unflatten(-1, (n_heads, D)).movedim(2, 1)
    cache.k[:, :, start:end].copy_(
        (x @ w_k.T).unflatten(-1, (n_heads, D)).movedim(2, 1)
    )
    cache.v[:, :, start:end].copy_(
        (x @ w_v.T).unflatten(-1, (n_heads, D)).movedim(2, 1)
    )
    cache.length = end
    scores = torch.einsum("bhtd,bhsd->bhts", q * D**-0.5, cache.k[:, :, :end])
    if T > 1:
        scores = scores + torch.full(
            (T, end), float("-inf"), dtype=x.dtype, device=x.device
        ).triu(start + 1)
    heads = torch.einsum("bhts,bhsd->bthd", scores.softmax(-1), cache.v[:, :, :end])
    return heads.reshape(B, T, C) @ w_out.T
