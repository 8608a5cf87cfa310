import math

import torch
from torch import Tensor


def blockwise_attention(
    q: Tensor, k: Tensor, v: Tensor, block: int, causal: bool = False
) -> Tensor:
    """Softmax attention that looks at a few keys at a time.

    Called under torch.no_grad(): there is no backward pass to write.

    Args:
        q: (B, H, T, D), float32, float16 or bfloat16.
        k: (B, H, S, D), dtype of q.
        v: (B, H, S, D), dtype of q.
        block: how many keys are looked at together, at least 1. It need not
            divide S, and may exceed it.
        causal: query i sees only the keys 0 to i. Then S = T.

    Returns:
        (B, H, T, D), dtype and device of q: softmax(q k^T / sqrt(D)) v. What is
        summed up over the blocks is kept in float32, whatever the dtype of q.

    Memory:
        No tensor has more than B*H*T * max(block, D) + B*H * (T + S) * D elements.
    """
    raise NotImplementedError
