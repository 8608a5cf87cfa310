# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib"]
# ///
import matplotlib.pyplot as plt
import torch
from torch import Tensor

CLASSES, SPREAD = torch.tensor([-1.0, 1.0]).double(), 0.6
GRID = torch.linspace(-4, 8, 4001, dtype=torch.double)


def scores(x: Tensor, noise: float) -> tuple[Tensor, Tensor]:
    """Gradients of the log density at x (n,) under noise: of class 1, of all."""
    each = (CLASSES - x[:, None]) / (SPREAD**2 + noise**2)
    weight = (-each.square() * (SPREAD**2 + noise**2) / 2).softmax(dim=1)
    return each[:, 1], (weight * each).sum(dim=1)


def sample(w: float, n: int = 20_000, steps: int = 200) -> Tensor:
    """Samples (n,) of the class at 1, guided by w, from noise to almost none."""
    levels = torch.logspace(1.3, -2, steps + 1, dtype=torch.double).tolist()
    x = levels[0] * torch.randn(n, dtype=torch.double)
    for now, later in zip(levels, levels[1:]):
        one, every = scores(x, now)
        x = x + (now - later) * now * ((1 + w) * one - w * every)
    return x


def tilted(w: float) -> Tensor:
    """p(x|c)^(1 + w) / p(x)^w for the class at 1, on the grid, adding up to 1."""
    logs = -(GRID[:, None] - CLASSES).square() / (2 * SPREAD**2)
    return ((1 + w) * logs[:, 1] - w * logs.logsumexp(dim=1)).softmax(dim=0)


if __name__ == "__main__":
    torch.manual_seed(0)
    for w in (0, 1, 3, 7):
        x, p = sample(w), tilted(w)
        mean = (p * GRID).sum()
        spread = (p * (GRID - mean).square()).sum().sqrt()
        print(f"w {w}: samples {x.mean():.1f} ± {x.std():.2f},", end=" ")
        print(f"tilted density {mean:.1f} ± {spread:.2f}")
        if w == 3:
            kept = x
    plt.figure(figsize=(5.2, 3.1))
    step = GRID[1] - GRID[0]
    plt.plot(GRID, tilted(0) / step, label="the class")
    plt.plot(GRID, tilted(3) / step, "--", label="tilted, w = 3")
    height, edges = torch.histogram(kept, 60, range=(0.0, 3.5), density=True)
    plt.stairs(height, edges, label="samples, w = 3", color="C2")
    plt.xlim(-1.5, 3.5)
    plt.xlabel("x")
    plt.ylabel("density")
    plt.legend(loc="upper left")
    plt.show()
