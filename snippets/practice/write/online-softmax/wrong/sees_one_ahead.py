"""The comparison of the mask is off by one: each query sees the key after its
own."""

import math

import torch
from torch import Tensor


def blockwise_attention(
    q: Tensor, k: Tensor, v: Tensor, block: int, causal: bool = False
) -> Tensor:
    B, H, T, D = q.shape
    queries = q.float() / math.sqrt(D)
    rows = torch.arange(T, device=q.device)[:, None]
    peak = queries.new_full((B, H, T, 1), -math.inf)  # largest score so far
    total = queries.new_zeros(B, H, T, 1)  # sum of exp(score - peak)
    out = queries.new_zeros(B, H, T, D)  # sum of exp(score - peak) * value
    for start in range(0, k.shape[2], block):
        keys = k[:, :, start : start + block].float()
        values = v[:, :, start : start + block].float()
        scores = queries @ keys.transpose(-2, -1)  # (B, H, T, block)
        if causal:
            columns = start + torch.arange(keys.shape[2], device=q.device)
            scores = scores.masked_fill(columns > rows + 1, -math.inf)
        higher = torch.maximum(peak, scores.amax(dim=-1, keepdim=True))
        shrink = (peak - higher).exp()
        weights = (scores - higher).exp()
        total = total * shrink + weights.sum(dim=-1, keepdim=True)
        out = out * shrink + weights @ values
        peak = higher
    return (out / total).to(q.dtype)
