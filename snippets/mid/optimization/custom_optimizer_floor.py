# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch

CURVATURE = torch.tensor([1.0, 30.0])


def lion_path(lr: float, steps: int) -> torch.Tensor:
    """Lion's points (a, b) in a valley, float32 (steps + 1, 2).

    The loss is (a**2 + 30 * b**2) / 2, and the start is (-4, 2).
    """
    w, m = torch.tensor([-4.0, 2.0]), torch.zeros(2)
    points = [w.clone()]
    for _ in range(steps):
        g = CURVATURE * w
        w = w - lr * (0.9 * m + 0.1 * g).sign()
        m = 0.99 * m + 0.01 * g
        points.append(w.clone())
    return torch.stack(points)


if __name__ == "__main__":
    for lr, style in ((0.3, "o-"), (0.03, "s--")):
        points = lion_path(lr, steps=round(30 / lr))
        far = points[-len(points) // 3 :].norm(dim=1).max()
        print(f"lr {lr:<5g} farthest from the minimum in the last third: {far:.2f}")
        a, b = points[:100].T
        plt.plot(a, b, style, markersize=3, label=f"Lion, lr {lr:g}")
    plt.plot(0, 0, "k*", markersize=9, label="minimum")
    plt.xlabel("weight a (flat direction)")
    plt.ylabel("weight b (steep direction)")
    plt.legend()
    plt.show()
