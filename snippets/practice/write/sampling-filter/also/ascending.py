import torch
from torch import Tensor


def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    V = logits.size(-1)
    k = 1 if temperature == 0 else min(top_k or V, V)
    logits = logits.to(torch.float32)
    values, tokens = logits.topk(k, dim=-1)
    p = torch.softmax(values / temperature if temperature else values, dim=-1)
    if top_p is not None and top_p != 1.0:
        # From the rare end: what is behind a token, and the token itself.
        tail = p.flip(-1).cumsum(-1).flip(-1)
        p = torch.where(tail > 1 - top_p, p, 0.0)
        p[:, 0] = torch.where(p[:, 0] > 0, p[:, 0], 1.0)
        p /= p.sum(-1, keepdim=True)
    out = torch.zeros_like(logits)
    out.scatter_(-1, tokens, p)
    return out
