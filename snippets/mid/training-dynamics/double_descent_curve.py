# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch


def risks(
    p: int, n: int, noise: float, ridges: list[float], sets: int = 50
) -> torch.Tensor:
    """Median test error of ridge regression on ``p`` random ReLU features.

    Args:
        n: training points in 8 dimensions; the target is linear in them.
        noise: standard deviation of the label noise; the test error has none.
        ridges: 0 stands for least squares of minimum norm. For several, the best
            one of each data set on 100 points of its own is taken.

    Returns:
        float64, shape ().
    """
    points = torch.randn(sets, n + 300, 8, dtype=torch.float64)
    clean = points.sum(dim=2, keepdim=True) / 8**0.5
    labels = clean + noise * torch.randn_like(clean)
    v = torch.randn(sets, 8, p, dtype=torch.float64) / p**0.5
    phi = torch.relu(points @ v)
    u, s, vh = torch.linalg.svd(phi[:, :n], full_matrices=False)
    s = s[:, :, None]
    checked, tested = [], []
    for ridge in ridges:
        inverse = torch.where(s > 1e-10 * s[:, :1], s / (s**2 + ridge), 0)
        error = phi[:, n:] @ (vh.mT @ (inverse * (u.mT @ labels[:, :n])))
        checked.append((error - labels[:, n:])[:, :100].square().mean(dim=(1, 2)))
        tested.append((error - clean[:, n:])[:, 100:].square().mean(dim=(1, 2)))
    best = torch.stack(checked).argmin(dim=0, keepdim=True)
    return torch.stack(tested).gather(0, best).median()


if __name__ == "__main__":
    torch.manual_seed(0)
    widths = [5, 8, 12, 20, 30, 38, 40, 42, 50, 80, 120, 200, 400]
    grid = [10.0**k for k in range(-4, 3)]
    for label, noise, ridges, style in (
        ("noise, no ridge", 0.5, [0.0], "-"),
        ("no noise, no ridge", 0.0, [0.0], "--"),
        ("noise, tuned ridge", 0.5, grid, ":"),
    ):
        curve = [risks(p, 40, noise, ridges).item() for p in widths]
        print(f"{label:19} highest at {widths[curve.index(max(curve))]}", end=", ")
        print(f"lowest at {widths[curve.index(min(curve))]}")
        plt.plot(widths, curve, style, label=label)
    plt.xscale("log")
    plt.yscale("log")
    plt.xlabel("random features p, with n = 40 points")
    plt.ylabel("test error, median of 50")
    plt.legend()
    plt.show()
