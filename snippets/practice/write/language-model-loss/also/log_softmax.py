import torch
from torch import Tensor


def language_model_loss(
    logits: Tensor,
    tokens: Tensor,
    counts: Tensor,
    documents: Tensor,
    total: Tensor | None = None,
) -> Tensor:
    log_p = logits.float().log_softmax(dim=-1)[:, :-1]
    log_p = log_p.gather(2, tokens[:, 1:].unsqueeze(2)).squeeze(2)
    first = torch.ones_like(counts)
    first[:, 1:] = documents.diff(dim=1) != 0
    weight = (counts & ~first)[:, 1:].to(log_p.dtype)
    n = weight.sum() if total is None else total
    n = torch.clamp(n, min=1)
    return -(log_p * weight).sum() / n
