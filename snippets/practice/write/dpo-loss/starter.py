import torch
import torch.nn.functional as F
from torch import Tensor


def dpo_loss(
    policy_logits: Tensor,
    reference_logits: Tensor,
    tokens: Tensor,
    completion: Tensor,
    beta: float = 0.1,
) -> Tensor:
    """Direct preference optimization. Row i holds the answer that was chosen, and
    row B + i the one that was rejected, both to prompt i.

    Args:
        policy_logits: (2B, T, V) float32 or bfloat16, finite. Those at position t
            predict token t + 1.
        reference_logits: (2B, T, V), as above. No gradient may reach them.
        tokens: (2B, T) int64, from 0 to V - 1, in the padding, too.
        completion: (2B, T) bool, True where a token belongs to the answer, False in
            the prompt, in the padding and between parts of an answer. Position 0
            is never True, and a row may have no True at all.
        beta: the factor of the margin.

    Returns:
        0-dim: the mean over the B pairs of

            -log sigmoid(beta * ((pi_c - ref_c) - (pi_r - ref_r)))

        where pi and ref are the sums of the log-probabilities of an answer's
        tokens, c is chosen and r rejected. It is computed in float32 or float64.
    """
    raise NotImplementedError
