import torch.nn.functional as F
from torch import Tensor


def contrastive_loss(image: Tensor, text: Tensor, log_scale: Tensor) -> Tensor:
    image, text = F.normalize(image, dim=1), F.normalize(text, dim=1)
    logits = log_scale.exp() * image @ text.T
    rows, columns = logits.logsumexp(dim=1), logits.logsumexp(dim=0)
    return (0.5 * (rows + columns) - logits.diagonal()).mean()
