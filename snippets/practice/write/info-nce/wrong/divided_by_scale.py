"""The similarities are divided by the factor, as if it were a temperature."""

import torch
import torch.nn.functional as F
from torch import Tensor


def contrastive_loss(image: Tensor, text: Tensor, log_scale: Tensor) -> Tensor:
    image, text = F.normalize(image, dim=1), F.normalize(text, dim=1)
    logits = image @ text.T / log_scale.exp()
    labels = torch.arange(len(logits), device=logits.device)
    return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2
