import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Attention(nn.Module):
    """Causal multi-head self-attention, with or without tokens from a cache.

    Its parameters are qkv.weight (3 * dim, dim), the rows of q, then of k, then of
    v, and out.weight (dim, dim). There are no biases. Head h owns the rows h * d to
    (h + 1) * d of each, with d = dim / heads.
    """

    def __init__(self, dim: int, heads: int) -> None:
        raise NotImplementedError

    def forward(self, x: Tensor, past=None) -> Tensor:
        """Each token sees itself, the tokens before it in x, and all of the past.

        Args:
            x: (B, T, dim), T >= 1: the newest tokens.
            past: None, or an object that holds the keys and values of older tokens.
                past.update(k, v) takes those of x, each (B, heads, T, d), and
                returns those of all tokens, each (B, heads, S, d), the oldest
                first. It is called once.

        Returns:
            (B, T, dim)
        """
        raise NotImplementedError
