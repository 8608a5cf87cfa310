import math

import torch
from torch import Tensor


def blockwise_attention(
    q: Tensor, k: Tensor, v: Tensor, block: int, causal: bool = False
) -> Tensor:
    def scores(start: int) -> Tensor:
        keys = k[:, :, start : start + block].float()
        found = q.float() @ keys.transpose(-2, -1) / math.sqrt(q.shape[-1])
        if causal:
            query = torch.arange(q.shape[2], device=q.device)[:, None]
            key = torch.arange(start, start + keys.shape[2], device=q.device)
            found = found.masked_fill(key > query, -math.inf)
        return found

    starts = range(0, k.shape[2], block)
    peak = scores(0).amax(-1, keepdim=True)
    for start in starts:
        peak = torch.maximum(peak, scores(start).amax(-1, keepdim=True))
    total, out = 0.0, 0.0
    for start in starts:
        weights = (scores(start) - peak).exp()
        total = total + weights.sum(-1, keepdim=True)
        out = out + weights @ v[:, :, start : start + block].float()
    return (out / total).to(q.dtype)
