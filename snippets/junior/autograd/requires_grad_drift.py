# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
from torch import nn


def path(name: str, gradient: str, steps: int = 30) -> list[float]:
    """A weight's distance from where it was frozen, after each of ``steps`` steps.

    Args:
        name: an optimizer of torch.optim, or "momentum" for SGD with momentum 0.9.
        gradient: what ``.grad`` of the frozen weight is: "stale", "zeros", "None".
        steps: number of optimizer steps after one normal step.
    """
    w = nn.Parameter(torch.ones(1))
    if name == "momentum":
        optimizer = torch.optim.SGD([w], lr=0.02, momentum=0.9)
    else:
        optimizer = getattr(torch.optim, name)([w], lr=0.02)
    (2 * w).sum().backward()
    optimizer.step()
    w.requires_grad_(False)
    if gradient != "stale":
        w.grad = torch.zeros(1) if gradient == "zeros" else None
    start, distances = w.clone(), [0.0]
    for _ in range(steps):
        optimizer.step()
        distances.append((w - start).abs().item())
    return distances


if __name__ == "__main__":
    for name, gradient, line in (
        ("SGD", "stale", "-"),
        ("AdamW", "zeros", "--"),
        ("momentum", "zeros", "-."),
        ("AdamW", "None", ":"),
    ):
        distances = path(name, gradient)
        print(f"{name:8} grad {gradient:5} moved {distances[-1]:.2f}")
        plt.plot(distances, line, label=f"{name}, grad {gradient}")
    plt.xlabel("step after freezing")
    plt.ylabel("distance of the frozen weight")
    plt.legend()
    plt.show()
