import torch
from torch import Tensor, nn


class LoRALinear(nn.Module):
    """A frozen nn.Linear with a trained update of low rank.

    Attributes:
        base: the nn.Linear that was given, no copy, with its parameters frozen.
        lora_a: (rank, in) parameter, random at the start.
        lora_b: (out, rank) parameter, zeros at the start.

    lora_a and lora_b have the dtype and the device of base.weight, and they are
    the only parameters that require a gradient.
    """

    def __init__(self, base: nn.Linear, rank: int, alpha: float) -> None:
        """Wrap base, which may have no bias. Raises ValueError if rank < 1."""
        raise NotImplementedError

    def forward(self, x: Tensor) -> Tensor:
        """base(x) + x @ lora_a.T @ lora_b.T * alpha / rank, for x of (..., in)."""
        raise NotImplementedError

    def merge(self) -> None:
        """Add the update to base.weight, in place.

        The layer's output stays the same, and base alone gives it, too. Does
        nothing if it is merged.
        """
        raise NotImplementedError

    def unmerge(self) -> None:
        """Take the update back, in place. Does nothing if it is not merged."""
        raise NotImplementedError
