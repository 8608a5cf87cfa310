import torch
from torch import nn


def gradient_at_input(factor: float, depth: int, norm: bool = False) -> float:
    """Gradient norm at the input over that at the output: h = factor * h + f(h)."""
    torch.manual_seed(0)
    x = torch.randn(64, 32, dtype=torch.float64, requires_grad=True)
    h = x
    for _ in range(depth):
        f = nn.functional.layer_norm(h, (32,)) if norm else h
        h = factor * h + nn.Linear(32, 32, dtype=torch.float64)(f).tanh()
    at_output = torch.randn_like(h)
    (gradient,) = torch.autograd.grad((h * at_output).sum(), x)
    return (gradient.norm() / at_output.norm()).item()


if __name__ == "__main__":
    print("factor on the skip     1.0     0.9     0.5")
    for depth in 10, 50:
        found = [gradient_at_input(factor, depth) for factor in (1.0, 0.9, 0.5)]
        print(f"{depth} blocks           ", *[f"{value:7.0e}" for value in found])
