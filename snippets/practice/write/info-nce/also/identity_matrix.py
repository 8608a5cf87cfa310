import torch
import torch.nn.functional as F
from torch import Tensor


def contrastive_loss(image: Tensor, text: Tensor, log_scale: Tensor) -> Tensor:
    image, text = F.normalize(image, dim=1), F.normalize(text, dim=1)
    logits = (image @ text.T) * torch.exp(log_scale)
    labels = torch.eye(len(logits), dtype=logits.dtype, device=logits.device)
    return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2
