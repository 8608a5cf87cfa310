import torch
from torch import nn


def spread(depth: int, scale: float, normalize: bool) -> float:
    """Standard deviation behind the last layer, all weights times ``scale``."""
    torch.manual_seed(0)
    layers = []
    for _ in range(depth):
        linear = nn.Linear(64, 64, bias=False)
        linear.weight.data *= scale
        layers += [
            nn.ReLU(),
            linear,
            nn.BatchNorm1d(64) if normalize else nn.Identity(),
        ]
    return nn.Sequential(*layers)(torch.randn(256, 64)).std().item()


if __name__ == "__main__":
    print("20 layers       plain   batch norm")
    for scale in (1, 2, 4, 8):
        plain = spread(20, scale, normalize=False)
        print(f"weights x {scale}   {plain:8.0e}   {spread(20, scale, True):10.2f}")
