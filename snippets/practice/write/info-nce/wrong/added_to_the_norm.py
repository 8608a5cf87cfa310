"""A number of 1e-6 is added to each norm, which shortens a row of small numbers."""

import torch
import torch.nn.functional as F
from torch import Tensor


def contrastive_loss(image: Tensor, text: Tensor, log_scale: Tensor) -> Tensor:
    image, text = (
        one / (one.norm(dim=1, keepdim=True) + 1e-6) for one in (image, text)
    )
    logits = log_scale.exp() * image @ text.T
    labels = torch.arange(len(logits), device=logits.device)
    return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2
