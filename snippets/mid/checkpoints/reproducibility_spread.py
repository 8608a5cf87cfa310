# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
from torch import nn


def held_out_loss(seed: int, width: int) -> float:
    """Train a small network on 32 of 288 samples; the loss on the other 256."""
    data = torch.Generator().manual_seed(0)
    x = torch.randn(288, 4, dtype=torch.float64, generator=data)
    y = torch.sin(x.sum(1, keepdim=True))
    torch.manual_seed(seed)
    layers = [nn.Linear(4, width), nn.Tanh(), nn.Linear(width, 1)]
    model = nn.Sequential(*layers).double()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(60):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x[:32]), y[:32]).backward()
        optimizer.step()
    return nn.functional.mse_loss(model(x[32:]), y[32:]).item()


if __name__ == "__main__":
    torch.set_num_threads(1)
    losses = {w: [held_out_loss(seed, w) for seed in range(12)] for w in (24, 32)}
    plt.figure(figsize=(6, 3.2))
    for (width, values), mark in zip(losses.items(), "os"):
        plt.plot(range(12), values, mark, label=f"width {width}")
        low, high = min(values), max(values)
        mean = sum(values) / 12
        print(f"width {width}: mean {mean:.2f}, {low:.2f} to {high:.2f}")
    better = sum(a < b for a, b in zip(*losses.values()))
    print(f"width 24 is better for {better} of 12 seeds")
    plt.ylim(bottom=0)
    plt.xlabel("seed")
    plt.ylabel("held-out loss")
    plt.legend()
    plt.show()
