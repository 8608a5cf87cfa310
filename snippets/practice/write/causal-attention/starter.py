import torch
from torch import Tensor


def multi_head_attention(
    x: Tensor,
    w_qkv: Tensor,
    w_out: Tensor,
    n_heads: int,
    keep: Tensor | None = None,
) -> Tensor:
    """Causal multi-head self-attention.

    Args:
        x: (B, T, C), any float dtype.
        w_qkv: (3C, C), the rows of q, then of k, then of v. Head h owns the rows
            h*D to (h+1)*D of each, with D = C / n_heads.
        w_out: (C, C). There are no biases: y = concat(heads) @ w_out.T.
        n_heads: a divisor of C.
        keep: (B, T) bool, True where a token is real. Padding is left or right.

    Returns:
        (B, T, C), dtype and device of x, computed in at least the precision of x.
        Rows of padding need only be finite.

    Raises:
        ValueError: n_heads does not divide C.
    """
    raise NotImplementedError
