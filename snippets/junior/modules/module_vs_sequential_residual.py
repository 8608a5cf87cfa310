import torch
from torch import nn


class Residual(nn.Sequential):
    """Adds its input to what its layers make of it: float (N, D) to (N, D).

    No layer may change the input in place, because the input is added at the end.

    Raises:
        ValueError: the layers change the shape.
    """

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        change = super().forward(x)
        if change.shape != x.shape:
            before, after = tuple(x.shape), tuple(change.shape)
            raise ValueError(f"the layers turn {before} into {after}")
        return x + change


if __name__ == "__main__":
    x, narrow = torch.randn(5, 8), nn.Linear(8, 1)
    blocks = (Residual(nn.Linear(8, 8), nn.ReLU()) for _ in range(2))
    model = nn.Sequential(*blocks)
    print("two blocks:  ", tuple(model(x).shape), list(model.state_dict()))
    print("x + narrow(x):", tuple((x + narrow(x)).shape))
    try:
        Residual(narrow)(x)
    except ValueError as error:
        print("Residual(narrow):", error)
