import torch
import torch.nn.functional as F
from torch import Tensor


def contrastive_loss(image: Tensor, text: Tensor, log_scale: Tensor) -> Tensor:
    image = image / image.norm(dim=1, keepdim=True).clamp(min=1e-8)
    text = text / (text.norm(dim=1, keepdim=True) + 1e-8)
    logits = torch.einsum("id,jd->ij", log_scale.exp() * image, text)
    labels = torch.arange(len(logits), device=logits.device)
    both = torch.stack([logits, logits.T])
    return F.cross_entropy(both.flatten(0, 1), labels.repeat(2))
