import torch.nn.functional as F
from torch import Tensor, nn


class Block(nn.Module):
    """A decoder block that normalizes first: attention, then a network for each
    token, each added to what comes in.

    Its modules are norm_1 and norm_2 (nn.LayerNorm of dim), attention (as given),
    up and down (nn.Linear without bias, from dim to 4 * dim and back). Between up
    and down stands the GELU, the exact one.
    """

    def __init__(self, dim: int, attention: nn.Module) -> None:
        raise NotImplementedError

    def forward(self, x: Tensor, past=None) -> Tensor:
        """x: (B, T, dim). Returns the same shape, and leaves x as it is.

        past: passed on to attention(x, past), which is called once.
        """
        raise NotImplementedError
