import torch
from torch import Tensor


def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """The distribution from which the next token is drawn. Nothing is drawn here.

    The temperature is applied first, then top-k, then top-p. What top-k leaves is
    divided by its sum before top-p looks at it.

    Args:
        logits: (B, V), any float dtype. Tokens that are banned have -inf; in each
            row at least one is finite.
        temperature: the logits are divided by it. 0 means that the token with the
            largest logit gets probability one; one of them, if several are equal.
        top_k: at least 1: only the k likeliest tokens of a row are kept. A number
            of V or more keeps all.
        top_p: 0 < top_p <= 1: only the smallest set of likeliest tokens is kept
            whose probability reaches top_p. The token that crosses the threshold
            belongs to it. 1.0 keeps all tokens, however rare.

    Returns:
        (B, V) float32, device of logits. Rows sum to one, and tokens that are not
        kept have exactly 0. At the boundary of top-k and top-p, how many of several
        equal logits are kept, and which, is left open.
    """
    raise NotImplementedError
