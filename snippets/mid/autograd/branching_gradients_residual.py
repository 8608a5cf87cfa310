import torch
from torch import nn


def gradient_at_input(residual: bool, depth: int, width: int = 32) -> float:
    """Norm of d(sum of output)/d(input) per norm of the gradient at the output."""
    torch.manual_seed(0)
    x = torch.randn(16, width, requires_grad=True)
    h = x
    for _ in range(depth):
        f = nn.Linear(width, width)(h).tanh()
        h = h + f if residual else f
    (gradient,) = torch.autograd.grad(h.sum(), x)
    return (gradient.norm() / gradient.numel() ** 0.5).item()


if __name__ == "__main__":
    for depth in 1, 10, 20:
        plain, skip = (
            gradient_at_input(residual, depth) for residual in (False, True)
        )
        print(f"{depth:2} layers  plain {plain:.0e}  residual {skip:.0e}")
