import torch
import torch.nn.functional as F
from torch import Tensor


def language_model_loss(
    logits: Tensor,
    tokens: Tensor,
    counts: Tensor,
    documents: Tensor,
    total: Tensor | None = None,
) -> Tensor:
    """Cross-entropy of a causal language model, over packed rows.

    Token t + 1 is predicted by the logits at t. It is in the loss if counts says so
    and if token t belongs to the same document.

    Args:
        logits: (B, T, V) float32 or bfloat16, finite.
        tokens: (B, T) int64, from 0 to V - 1.
        counts: (B, T) bool, whether a token is in the loss: False in prompts and in
            padding.
        documents: (B, T) int64, the number of the document that a token belongs to.
            A document stands in one row, in one piece.
        total: 0-dim int64, at least 1, how many tokens are in the loss of all
            micro-batches of the step. The sum is divided by it if it is given, and
            else by the number of tokens that are in the loss here.

    Returns:
        0-dim, float32 or float64. If no token is in the loss it is 0, and its
        gradient is 0.
    """
    raise NotImplementedError
