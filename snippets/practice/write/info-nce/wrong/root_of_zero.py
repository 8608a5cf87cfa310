"""The value is bounded after the root, but the derivative of the root at 0 is
infinite: the gradient of a row of zeros is NaN.
"""

import torch
import torch.nn.functional as F
from torch import Tensor


def contrastive_loss(image: Tensor, text: Tensor, log_scale: Tensor) -> Tensor:
    image = image / image.square().sum(1, keepdim=True).sqrt().clamp(min=1e-8)
    text = text / text.square().sum(1, keepdim=True).sqrt().clamp(min=1e-8)
    logits = log_scale.exp() * image @ text.T
    labels = torch.arange(len(logits), device=logits.device)
    return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2
