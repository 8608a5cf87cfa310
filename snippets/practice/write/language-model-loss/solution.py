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
    wanted = counts[:, 1:] & (documents[:, 1:] == documents[:, :-1])
    labels = torch.where(wanted, tokens[:, 1:], -100)
    loss = F.cross_entropy(
        logits[:, :-1].float().flatten(0, 1), labels.flatten(), reduction="sum"
    )
    return loss / (wanted.sum().clamp(min=1) if total is None else total)
