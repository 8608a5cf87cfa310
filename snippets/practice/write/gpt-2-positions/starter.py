import torch
from torch import Tensor, nn


class Positions(nn.Module):
    """Learned positions, added to the embedded tokens.

    Its only parameter is weight (max_length, dim), drawn from a normal distribution
    with mean 0 and standard deviation 0.02.
    """

    def __init__(self, max_length: int, dim: int) -> None:
        raise NotImplementedError

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """Add to each token the row of its place in the text.

        Args:
            x: (B, T, dim), T >= 1.
            start: the place of the first of the T tokens: not 0 if others were read
                before and are in a cache.

        Raises:
            ValueError: a token has no row, because the text is too long.
        """
        raise NotImplementedError
