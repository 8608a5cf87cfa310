import math

import torch
from torch import Tensor


def grouped_query_attention(
    q: Tensor, k: Tensor, v: Tensor, causal: bool = False
) -> Tensor:
    """Attention in which groups of query heads share a key-value head.

    Args:
        q: (B, Hq, T, D), any float dtype. Scores of several hundred occur.
        k: (B, Hkv, S, D), dtype of q, S >= T.
        v: (B, Hkv, S, D), dtype of q.
        causal: the T queries are the last T of the S positions, as with a cache:
            query i sees the keys 0 to S - T + i.

    With r = Hq / Hkv, query head h uses the key-value head h // r.

    Returns:
        (B, Hq, T, D), dtype and device of q. Gradients reach q, k and v.

    Raises:
        ValueError: Hkv does not divide Hq.
    """
    raise NotImplementedError
