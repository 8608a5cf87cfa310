# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
from torch import nn

NAMES = ("Sigmoid", "Tanh", "ReLU", "GELU", "SiLU")


def slope(name: str, z: torch.Tensor) -> torch.Tensor:
    """Derivative of the activation at each element of ``z``, float64."""
    z = z.double().requires_grad_()
    (found,) = torch.autograd.grad(getattr(nn, name)()(z).sum(), z)
    return found


def mean_square_slope(name: str, std: float) -> float:
    """Mean of the squared slope, for normal inputs with mean 0 and this ``std``."""
    z = torch.linspace(-10, 10, 20001, dtype=torch.float64)
    weights = (-z * z / 2).exp()
    return ((weights * slope(name, z * std) ** 2).sum() / weights.sum()).item()


if __name__ == "__main__":
    z = torch.linspace(-4, 4, 81)
    print("mean squared slope      std 0.1     1    10")
    for name, style in zip(NAMES, (":", "-.", "-", "--", (0, (6, 1, 1, 1, 1, 1)))):
        found = [mean_square_slope(name, std) for std in (0.1, 1, 10)]
        print(f"{name:24}", "  ".join(f"{value:.2f}" for value in found))
        plt.plot(z, slope(name, z), linestyle=style, label=name)
    plt.xlabel("input z")
    plt.ylabel("slope of the activation at z")
    plt.legend()
    plt.show()
