import math

import torch
from torch import Tensor, nn


class LoRA(nn.Module):
    """A linear layer with an update of low rank that is trained in its place.

    Its parameters are base.weight, and base.bias if there is one, of the layer that
    is given, not a copy; a (rank, in), drawn from a normal distribution with the
    deviation 1 / sqrt(in); and b (out, rank), zeros. a and b have the dtype and the
    device of base.weight.
    """

    def __init__(self, base: nn.Linear, rank: int, alpha: float) -> None:
        raise NotImplementedError

    def forward(self, x: Tensor) -> Tensor:
        """base(x) + alpha / rank * x @ a.T @ b.T, for x (..., in)."""
        raise NotImplementedError


def add_lora(model: nn.Module, rank: int, alpha: float, name: str) -> list[Tensor]:
    """Freeze a model and train updates of some of its linear layers.

    Each nn.Linear below model that its owner knows under this name, such as qkv for
    blocks.0.attention.qkv, is replaced by a LoRA around it. Then a and b of these
    are the only parameters of the model that need a gradient.

    Returns:
        These parameters, in the order of model.parameters().
    """
    raise NotImplementedError


def merge_lora(model: nn.Module) -> None:
    """Put nn.Linear layers in the place of the LoRAs below a model.

    Each is the base, to whose weight the update was added in place. The outputs of
    the model stay the same but for rounding, if no other module uses such a weight.
    Its parameters have the names that they had before add_lora.
    """
    raise NotImplementedError
