# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
from torch import nn

NETS = ("plain", "plain, layer norm", "residual", "residual, pre-norm")


class Block(nn.Module):
    """tanh of a linear layer: with a norm in front of it, with a skip around it."""

    def __init__(self, name: str, width: int) -> None:
        super().__init__()
        norm = nn.LayerNorm(width) if "norm" in name else nn.Identity()
        self.branch = nn.Sequential(norm, nn.Linear(width, width), nn.Tanh())
        self.skip = "residual" in name

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.branch(x) if self.skip else self.branch(x)


def input_gradients(name: str, depth: int, seed: int = 0) -> list[float]:
    """Root mean square of the gradient at each block's input, over that at the end.

    Before any step, in float64, 64 rows of width 32.
    """
    torch.manual_seed(seed)
    x = torch.randn(64, 32, dtype=torch.float64, requires_grad=True)
    states = [x]
    for _ in range(depth):
        states.append(Block(name, 32).double()(states[-1]))
    loss = (states[-1] * torch.randn_like(x)).sum()
    gradients = torch.autograd.grad(loss, states)
    return [(g.norm() / gradients[-1].norm()).item() for g in gradients[:-1]]


if __name__ == "__main__":
    print("at the input, depth    10      50")
    for name, style in zip(NETS, ("v:", "s--", "o-", "^-.")):
        found = input_gradients(name, 50)
        print(f"{name:20}{input_gradients(name, 10)[0]:6.0e} {found[0]:7.0e}")
        plt.semilogy(range(1, 51), found, style, markersize=3, label=name)
    plt.xlabel("block, from the input")
    plt.ylabel("gradient / gradient at the end")
    plt.legend()
    plt.show()
