from collections.abc import Callable

import torch
from torch import Tensor


def beam_search(
    step: Callable[[Tensor], Tensor],
    start: int,
    eos: int,
    beam: int,
    max_new: int,
    alpha: float = 0.0,
) -> list[tuple[list[int], float]]:
    """Beam search over a function that returns log-probabilities.

    After each step the `beam` hypotheses with the largest sum of log-probabilities
    are kept. One that has ended in eos is finished: it is not extended, keeps its
    sum, and competes for one of the `beam` places like all others. The search ends
    when all that are kept are finished, or after max_new steps.

    Args:
        step: takes (n, t) int64 prefixes that begin with start, for any n >= 1, and
            returns (n, V) finite log-probabilities of the next token.
        start: the first token of every hypothesis, not eos.
        eos: the token that ends a hypothesis.
        beam: how many hypotheses are kept, at least 1; it may exceed V.
        max_new: how many tokens are generated at most, at least 1.
        alpha: the score is the sum divided by n ** alpha, where n is the number of
            generated tokens, eos included and start not. It decides only the order
            of the result, not which hypotheses are kept.

    Returns:
        The kept hypotheses, finished or not, the best score first: pairs of the
        tokens, including start and eos, and the score.

    Ties are left open, and how often step is called.
    """
    raise NotImplementedError
