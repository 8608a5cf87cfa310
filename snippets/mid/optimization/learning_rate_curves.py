# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch


def losses(lr: float, curvatures: torch.Tensor, steps: int) -> torch.Tensor:
    """Loss (curvatures * w**2).sum() / 2 before each step of gradient descent.

    Args:
        curvatures: float64, shape (D,), above 0; every weight starts at 1.

    Returns:
        float64, shape (steps,).
    """
    w = torch.ones_like(curvatures)
    found = []
    for _ in range(steps):
        found.append((curvatures * w**2).sum() / 2)
        w = w - lr * curvatures * w
    return torch.stack(found)


if __name__ == "__main__":
    curvatures = torch.tensor([100.0, 2.0], dtype=torch.float64)
    for lr, style in ((0.002, ":"), (0.01, "--"), (0.0195, "-"), (0.0205, "-.")):
        curve = losses(lr, curvatures, steps=61)
        print(f"lr {lr:<7g} loss {curve[0]:.0f} -> {curve[-1]:.2g} in 60 steps")
        plt.plot(curve, style, label=f"{lr * 100 / 2:g} * 2/L")
    plt.yscale("log")
    plt.xlabel("step")
    plt.ylabel("loss")
    plt.legend(title="learning rate")
    plt.show()
