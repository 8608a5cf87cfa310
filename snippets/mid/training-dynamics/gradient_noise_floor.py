# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch

CURVATURE = torch.tensor([1.0, 0.1], dtype=torch.float64)


def excess(
    lr: float,
    b: int,
    falls: bool = False,
    steps: int = 2000,
    momentum: float = 0.0,
    runs: int = 2000,
) -> torch.Tensor:
    """Mean loss above the minimum of SGD on a quadratic, over all runs.

    Args:
        b: batch size; the gradient's noise has the variance 1 / b per coordinate.
        falls: the rate falls linearly to zero instead of being constant.

    Returns:
        float64, shape (steps + 1,).
    """
    g = torch.Generator().manual_seed(b)
    w = torch.full((runs, 2), 3.0, dtype=torch.float64)
    velocity, losses = torch.zeros_like(w), []
    for t in range(steps + 1):
        losses.append((CURVATURE * w**2).sum(dim=1).mean() / 2)
        noise = torch.randn(runs, 2, generator=g, dtype=torch.float64) / b**0.5
        velocity = momentum * velocity + CURVATURE * w + noise
        w = w - lr * (1 - t / steps if falls else 1) * velocity
    return torch.stack(losses)


def floor(lr: float, b: int) -> float:
    """Where a constant rate below 2 / largest curvature settles."""
    return (lr / b / (2 * (2 - lr * CURVATURE))).sum().item()


if __name__ == "__main__":
    at = (10 ** torch.linspace(0, 3.3, 40)).long().unique()
    print("rate   batch   schedule   floor    measured at the end")
    for lr, b, falls, style in (
        (0.2, 1, False, "-"),
        (0.2, 8, False, "--"),
        (0.025, 1, False, ":"),
        (0.2, 1, True, "-."),
    ):
        losses = excess(lr, b, falls)
        name = "falls" if falls else "constant"
        expected = " " * 6 if falls else f"{floor(lr, b):6.4f}"
        print(f"{lr:5} {b:6} {name:>10} {expected:>8} {losses[-50:].mean():10.4f}")
        plt.plot(at, losses[at], style, label=f"{lr}, batch {b}, {name}")
    plt.xscale("log")
    plt.yscale("log")
    plt.xlabel("step")
    plt.ylabel("mean loss above the minimum")
    plt.legend(title="rate", fontsize="small")
    plt.show()
