import textwrap

import torch
from torch import nn


class Scaled(nn.Module):
    """Scales by position. The factors are made in the first call and kept."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))
        self.factors: torch.Tensor | None = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Scale x, float, shape (..., 4)."""
        if self.factors is None:
            self.factors = torch.arange(1.0, 5.0)
        return self.weight * x * self.factors


def validate_then_train(mode: type) -> torch.Tensor:
    """Gradient of the weight, shape (4,), after one validation pass in mode."""
    model, x = Scaled(), torch.ones(4)
    with mode():
        model(x)
    model(x).sum().backward()
    return model.weight.grad


if __name__ == "__main__":
    for mode in (torch.no_grad, torch.inference_mode):
        try:
            print(f"{mode.__name__}: {validate_then_train(mode).tolist()}")
        except RuntimeError as error:
            print(
                textwrap.fill(f"{mode.__name__}: RuntimeError: {error}", width=80)
            )
