import torch
from torch import Tensor


def draw(
    logits: Tensor, u: Tensor, temperature: float = 1.0, top_p: float = 1.0
) -> Tensor:
    """Draw the next token of each row, with random numbers that are given.

    The logits are divided by the temperature, and become probabilities. Then only
    the smallest set of likeliest tokens is kept whose probability reaches top_p;
    the token that crosses it belongs to it. What is kept is divided by its sum.
    The token that is drawn is the first one, in the order of the numbers of the
    tokens, at which the sum of the probabilities exceeds u.

    Args:
        logits: (B, V), any float dtype. Tokens that are banned have -inf; in each
            row at least one is finite.
        u: (B,) float32, from 0 to below 1, a number for each row.
        temperature: at least 0. With 0 the largest logit wins, whatever u is.
        top_p: 0 < top_p <= 1.

    Returns:
        (B,) int64. Which of several equal logits is kept at the edge of top_p, or
        wins with temperature 0, is left open. A banned token is never drawn.
    """
    raise NotImplementedError
