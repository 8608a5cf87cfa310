import math
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class KVCache:
    k: Tensor  # (B, H, capacity, D)
    v: Tensor  # (B, H, capacity, D)
    length: int = 0  # positions in use


def attend(
    x: Tensor, cache: KVCache, w_qkv: Tensor, w_out: Tensor, n_heads: int
) -> Tensor:
    """Causal multi-head self-attention of the newest tokens, with a KV cache.

    Called under torch.no_grad().

    Args:
        x: (B, T, C), any float dtype: the T >= 1 newest tokens and no others. A
            decode step has T = 1, a prefill or a chunk of one has T > 1.
        cache: the keys and values of the cache.length tokens before, dtype and
            device of x. The slots from cache.length on hold arbitrary finite
            numbers. The call writes the keys and values of x into cache.k and
            cache.v in place and advances cache.length by T. It neither replaces
            the two tensors nor keeps anything else.
        w_qkv: (3C, C), the rows of q, then of k, then of v. Head h owns the rows
            h*D to (h+1)*D of each, with D = C / n_heads.
        w_out: (C, C). There are no biases: y = concat(heads) @ w_out.T.
        n_heads: H, a divisor of C.

    Returns:
        (B, T, C), dtype and device of x: the rows that causal attention over the
        whole sequence has at these T positions.

    Raises:
        ValueError: the T tokens do not fit. The cache is then as it was.
    """
    raise NotImplementedError
