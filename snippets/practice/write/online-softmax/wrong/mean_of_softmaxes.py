"""The softmaxes of the blocks are averaged, so a key counts the more the fewer
keys are in its block."""

import math

import torch
from torch import Tensor


def blockwise_attention(
    q: Tensor, k: Tensor, v: Tensor, block: int, causal: bool = False
) -> Tensor:
    B, H, T, D = q.shape
    queries = q.float() / math.sqrt(D)
    rows = torch.arange(T, device=q.device)[:, None]
    total = queries.new_zeros(B, H, T, 1)
    out = queries.new_zeros(B, H, T, D)
    for start in range(0, k.shape[2], block):
        keys = k[:, :, start : start + block].float()
        values = v[:, :, start : start + block].float()
        scores = queries @ keys.transpose(-2, -1)  # (B, H, T, block)
        if causal:
            columns = start + torch.arange(keys.shape[2], device=q.device)
            scores = scores.masked_fill(columns > rows, -math.inf)
        total = total + 1
        out = out + scores.softmax(dim=-1).nan_to_num(0.0) @ values
    return (out / total).to(q.dtype)
