import math

import torch
from torch import Tensor


def blockwise_attention(
    q: Tensor, k: Tensor, v: Tensor, block: int, causal: bool = False
) -> Tensor:
    T, D = q.shape[-2:]
    out = torch.empty_like(q)
    for first in range(0, T, block):
        last = min(first + block, T)
        tile = q[:, :, first:last].float()
        lead = tile.shape[:-1]
        peak = torch.full(lead, -math.inf, device=q.device)
        total = torch.zeros(lead, device=q.device)
        acc = torch.zeros_like(tile)
        # Blocks of keys that the whole tile does not see are skipped.
        for start in range(0, last if causal else k.shape[2], block):
            stop = min(start + block, k.shape[2])
            scores = tile @ k[:, :, start:stop].float().mT / math.sqrt(D)
            if causal:
                query = torch.arange(first, last, device=q.device)
                key = torch.arange(start, stop, device=q.device)
                scores = scores.masked_fill(query[:, None] < key, -math.inf)
            new = torch.maximum(peak, scores.amax(-1))
            weights = torch.exp(scores - new[..., None])
            factor = torch.exp(peak - new)
            total = total * factor + weights.sum(-1)
            acc = acc * factor[..., None] + weights @ v[:, :, start:stop].float()
            peak = new
        out[:, :, first:last] = (acc / total[..., None]).to(q.dtype)
    return out
