import torch
import torch.nn.functional as F
from torch import Tensor


def language_model_loss(
    logits: Tensor,
    tokens: Tensor,
    counts: Tensor,
    documents: Tensor,
    total: Tensor | None = None,
) -> Tensor:
    labels = torch.full_like(tokens, -1)
    follows = documents[:, :-1] == documents[:, 1:]
    labels[:, :-1] = torch.where(counts[:, 1:] & follows, tokens[:, 1:], -1)
    each = F.cross_entropy(
        logits.double().movedim(-1, 1), labels, ignore_index=-1, reduction="none"
    )
    n = (labels != -1).sum()
    return each.sum() / (total if total is not None else n + (n == 0))
