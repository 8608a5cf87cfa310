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
            raise ValueError(
                f"the layers turn {tuple(x.shape)} into {tuple(change.shape)}"
            )
        return x + change


def first_gradient(
    block: type[nn.Sequential], depth: int, width: int = 16
) -> float:
    """Norm of the gradient for the first of ``depth`` blocks in one Sequential."""
    torch.manual_seed(0)
    model = nn.Sequential(
        *(block(nn.Linear(width, width), nn.Tanh()) for _ in range(depth))
    )
    model(torch.randn(32, width)).square().mean().backward()
    return model[0][0].weight.grad.norm().item()


if __name__ == "__main__":
    print("gradient norm for the first block")
    for depth in (2, 10, 30):
        plain = first_gradient(nn.Sequential, depth)
        skip = first_gradient(Residual, depth)
        print(f"{depth:2} blocks: plain {plain:.1e}   residual {skip:.1e}")
