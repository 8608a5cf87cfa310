# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import math

import matplotlib.pyplot as plt
import torch
from torch import nn

NETS = ("sigmoid", "sigmoid, skip", "ReLU, half He", "ReLU, He", "ReLU, twice He")


class Block(nn.Module):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.linear = nn.Linear(32, 32)
        nn.init.kaiming_normal_(self.linear.weight)
        factor = {"ReLU, half He": 0.5, "ReLU, twice He": 2.0}.get(name, 1.0)
        self.linear.weight.data *= factor
        self.activation = nn.ReLU() if "ReLU" in name else nn.Sigmoid()
        self.skip = "skip" in name

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.activation(self.linear(x))
        return x + y if self.skip else y


def norms(name: str, depth: int = 20, seed: int = 0) -> list[float]:
    """Gradient norm of each layer's weight, first layer first, before any step."""
    torch.manual_seed(seed)
    x, y = torch.randn(64, 32), torch.randn(64, 1)
    blocks = [Block(name) for _ in range(depth)]
    model = nn.Sequential(*blocks, nn.Linear(32, 1))
    (model(x) - y).square().mean().backward()
    return [block.linear.weight.grad.norm().item() for block in blocks]


if __name__ == "__main__":
    print("powers of ten    layer 1   layer 20")
    for name, style in zip(NETS, ("o-", "s--", "^-.", "D-", "v:")):
        found = norms(name)
        first, last = (math.floor(math.log10(found[i])) for i in (0, -1))
        print(f"{name:16}{first:8}{last:11}")
        plt.semilogy(range(1, 21), found, style, markersize=3, label=name)
    plt.xlabel("layer, from the input")
    plt.ylabel("norm of the weight's gradient")
    plt.xticks((1, 5, 10, 15, 20))
    plt.ylim(top=1e24)
    plt.legend(ncols=2)
    plt.show()
