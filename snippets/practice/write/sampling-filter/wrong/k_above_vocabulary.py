"""A top_k larger than the vocabulary raises an error instead of keeping all
tokens."""

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
        kth = probs.topk(top_k, dim=-1).values[:, -1:]
        probs = probs.masked_fill(probs < kth, 0.0)
        probs = probs / probs.sum(dim=-1, keepdim=True)
    # At 1.0 all are kept, although a sum of rounded numbers may reach 1 too early.
    if top_p is not None and top_p < 1.0:
        # The mass of all likelier tokens.
        before = probs.cumsum(dim=-1) - probs
        probs = probs.masked_fill(before >= top_p, 0.0)
        probs = probs / probs.sum(dim=-1, keepdim=True)
    return torch.zeros_like(probs).scatter(-1, tokens, probs)
