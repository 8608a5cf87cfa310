"""The right pair is left out of the sum of exponentials, so this is not a
cross-entropy and may be negative.
"""

import torch
import torch.nn.functional as F
from torch import Tensor


def contrastive_loss(image: Tensor, text: Tensor, log_scale: Tensor) -> Tensor:
    image, text = F.normalize(image, dim=1), F.normalize(text, dim=1)
    logits = log_scale.exp() * image @ text.T
    right = logits.diag()
    others = logits - torch.diag(torch.full_like(right, 1e9))
    rows, columns = others.logsumexp(dim=1), others.logsumexp(dim=0)
    return (rows + columns).mean() / 2 - right.mean()
