import torch
import torch.nn.functional as F
from torch import Tensor


def contrastive_loss(image: Tensor, text: Tensor, log_scale: Tensor) -> Tensor:
    """The loss of CLIP. Row i of text belongs to row i of image.

    Args:
        image: (N, D) float32 or float64, rows of any length.
        text: (N, D), as above. The similarity of two rows is their cosine.
        log_scale: 0-dim, the logarithm of the factor on the similarities. It is
            trained.

    Returns:
        0-dim: the mean of two cross-entropies, each a mean over the N rows: each
        image picks its text among all texts, and each text picks its image. A row
        of zeros has a similarity of 0 to all others, and it makes neither the loss
        nor a gradient NaN.
    """
    raise NotImplementedError
