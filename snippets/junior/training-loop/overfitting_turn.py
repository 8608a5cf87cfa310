# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
from torch import nn


def losses(seed: int, steps: int = 300) -> list[tuple[float, float, float]]:
    """Training loss, held-out loss, and distance to the sine before each step."""
    torch.manual_seed(seed)
    x = 2 * torch.rand(520, 1) - 1
    y = torch.sin(3 * x) + torch.randn(520, 1) / 2
    model = nn.Sequential(
        nn.Linear(1, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1)
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    found = []
    for _ in range(steps + 1):
        fit = model(x)
        squares = (fit - y).square()
        training, held_out = squares[:20].mean(), squares[20:].mean()
        distance = (fit - torch.sin(3 * x)).square().mean()
        found.append((training.item(), held_out.item(), distance.item()))
        optimizer.zero_grad()
        training.backward()
        optimizer.step()
    return found


if __name__ == "__main__":
    training, held_out, _ = zip(*losses(seed=3))
    best = min(range(len(held_out)), key=lambda step: held_out[step])
    steps = range(0, 301, 3)
    plt.plot(steps, held_out[::3], label="held-out loss")
    plt.plot(steps, training[::3], label="training loss")
    plt.axhline(0.25, color="gray", linewidth=0.7, label="variance of the noise")
    plt.plot(best, held_out[best], "o", label="weights to keep")
    plt.xlabel("step")
    plt.ylabel("mean squared error")
    plt.legend()
    plt.show()
    print("held-out loss is lowest between steps 50 and 100:", 50 <= best <= 100)
