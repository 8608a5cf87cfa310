import torch
import torch.nn.functional as F
from torch import Tensor


def contrastive_loss(image: Tensor, text: Tensor, log_scale: Tensor) -> Tensor:
    scale = log_scale.exp()
    losses = []
    for i in range(image.shape[0]):
        to_texts = scale * F.cosine_similarity(image[i : i + 1], text, dim=1)
        to_images = scale * F.cosine_similarity(text[i : i + 1], image, dim=1)
        for similarities in (to_texts, to_images):
            losses.append(-torch.log_softmax(similarities, dim=0)[i])
    return torch.stack(losses).mean()
