import torch
import torch.nn.functional as F
from torch import Tensor


def reward_model_loss(
    hidden: Tensor, head: Tensor, mask: Tensor, center: float = 0.01
) -> tuple[Tensor, Tensor]:
    """Bradley-Terry loss of a reward model. Row i holds the answer that was chosen,
    and row B + i the one that was rejected, both to prompt i.

    The reward of a row is the product of head with the hidden state of its last
    token.

    Args:
        hidden: (2B, T, D) float32 or bfloat16, finite, of a causal model.
        head: (D,), dtype of hidden.
        mask: (2B, T) bool, True at the tokens of prompt and answer, in one piece.
            The padding is on the right, on the left, or on both sides. Each
            row has at least one token.
        center: the factor of the penalty on the sum of a pair's rewards.

    Returns:
        loss: 0-dim, the mean over the B pairs of

            -log sigmoid(r_c - r_r) + center * (r_c + r_r)^2

            computed in float32 or float64.
        accuracy: 0-dim, without a graph: the share of pairs whose chosen answer has
            the higher reward. Equal rewards count as one half.
    """
    raise NotImplementedError
