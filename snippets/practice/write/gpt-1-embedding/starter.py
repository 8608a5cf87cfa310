import torch
from torch import Tensor, nn


class TokenEmbedding(nn.Module):
    """One matrix for both ends of a language model: it reads and it scores tokens.

    Its only parameter is weight (vocabulary, dim), drawn from a normal distribution
    with mean 0 and standard deviation 0.02.
    """

    def __init__(self, vocabulary: int, dim: int) -> None:
        raise NotImplementedError

    def forward(self, tokens: Tensor) -> Tensor:
        """tokens: (B, T) int64. Returns (B, T, dim): the row of each token."""
        raise NotImplementedError

    def logits(self, hidden: Tensor) -> Tensor:
        """hidden: (B, T, dim). Returns (B, T, vocabulary): products with rows."""
        raise NotImplementedError
