from collections.abc import Callable

import torch
from torch import Tensor


def verify_draft(
    draft: Tensor,
    draft_probs: Tensor,
    target_probs: Tensor,
    u: Tensor,
    draw: Callable[[Tensor], int],
) -> list[int]:
    """One step of speculative decoding: which draft tokens stay, and what follows.

    A draft token x at place i is accepted with probability min(1, p(x) / q(x)),
    which is decided by u[i]: it is accepted if u[i] is below p(x) / q(x). The first
    rejection ends the step.

    Args:
        draft: (k,) int64, k >= 0: the tokens that the draft model sampled.
        draft_probs: (k, V), any float dtype: q, the distributions from which they
            were sampled.
        target_probs: (k + 1, V), dtype of draft_probs: p, the target model's
            distributions at the same places and at one more.
        u: (k,) uniform random numbers in [0, 1).
        draw: takes a (V,) distribution that sums to one and returns a token. It is
            called exactly once. There are no other random numbers than u and draw.

    Returns:
        A list of Python ints: the accepted tokens, then one that is drawn. After a
        rejection at place i it is drawn from max(p - q, 0) of that place divided
        by its sum, and if all are accepted, from target_probs[k].
        What happens at u[i] == p(x) / q(x) is left open.
    """
    raise NotImplementedError
