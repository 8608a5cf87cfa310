# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
from collections.abc import Callable

import matplotlib.pyplot as plt
import torch
from torch.optim import SGD, AdamW, Optimizer

CURVATURE = torch.tensor([1.0, 30.0])  # flat along a, steep along b


def path(
    build: Callable[[list[torch.Tensor], float], Optimizer], lr: float, steps: int
) -> torch.Tensor:
    """Points (a, b) of an optimizer in a valley, float32 (steps + 1, 2).

    The loss is (a**2 + 30 * b**2) / 2, and the start is (-4, 2).
    """
    w = torch.tensor([-4.0, 2.0], requires_grad=True)
    optimizer = build([w], lr)
    points = [w.detach().clone()]
    for _ in range(steps):
        optimizer.zero_grad()
        ((CURVATURE * w**2).sum() / 2).backward()
        optimizer.step()
        points.append(w.detach().clone())
    return torch.stack(points)


PATHS = {
    "SGD, lr 0.06": (lambda w, lr: SGD(w, lr=lr), 0.06, "o-"),
    "AdamW, lr 0.3": (lambda w, lr: AdamW(w, lr=lr), 0.3, "s--"),
}

if __name__ == "__main__":
    angle = torch.linspace(0, 2 * torch.pi, 61)
    for loss in (1, 4, 8):  # lines of equal loss
        a, b = (2 * loss) ** 0.5 * angle.cos(), (loss / 15) ** 0.5 * angle.sin()
        plt.plot(a, b, "-", color="gray", linewidth=0.7)
    for name, (build, lr, style) in PATHS.items():
        a, b = path(build, lr, steps=40).T
        plt.plot(a, b, style, markersize=3, label=name)
        print(f"{name:14} after 40 steps: a {a[-1]:.1f}, b {b[-1]:.1f}")
    plt.xlabel("weight a (flat direction)")
    plt.ylabel("weight b (steep direction)")
    plt.legend()
    plt.show()
