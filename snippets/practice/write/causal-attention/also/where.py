import math

import torch
from torch import Tensor


def multi_head_attention(
    x: Tensor,
    w_qkv: Tensor,
    w_out: Tensor,
    n_heads: int,
    keep: Tensor | None = None,
) -> Tensor:
    B, T, C = x.shape
    if C % n_heads:
        raise ValueError(f"{n_heads} heads do not divide {C} channels")
    q, k, v = (
        part.reshape(B, T, n_heads, C // n_heads).transpose(1, 2)  # (B, H, T, D)
        for part in (x @ w_qkv.T).chunk(3, dim=-1)
    )
    scores = q @ k.transpose(-2, -1) / math.sqrt(C // n_heads)  # (B, H, T, T)
    allowed = torch.ones(T, T, dtype=torch.bool, device=x.device).tril()
    if keep is not None:
        allowed = allowed & keep[:, None, None, :]  # which keys are real
    empty = ~allowed.any(dim=-1, keepdim=True)
    scores = scores.masked_fill(~(allowed | empty), -math.inf)
    weights = torch.where(empty, 0.0, scores.softmax(dim=-1))
    heads = weights.to(v.dtype) @ v
    return heads.transpose(1, 2).reshape(B, T, C) @ w_out.T
