import torch


def distances(
    rates: list[float], seeds: int, schedule: str, steps: int
) -> torch.Tensor:
    """Distance to the minimum after SGD with noisy gradients, in 400 dimensions.

    Args:
        schedule: "constant", or "falls": linearly to zero.

    Returns:
        float32, shape (len(rates), seeds).
    """
    generator = torch.Generator().manual_seed(0)
    lr = torch.tensor(rates).view(-1, 1, 1)
    curvature = torch.logspace(-1, 0, 400)
    w = torch.full((len(rates), seeds, 400), 10.0)
    for t in range(steps):
        rate = lr * (1 - t / steps) if schedule == "falls" else lr
        noise = torch.randn(seeds, 400, generator=generator)
        w = w - rate * (curvature * w + noise)
    return w.norm(dim=2)


if __name__ == "__main__":
    rates = [0.01, 0.02, 0.05, 0.1, 0.3]
    print("distance after 2000 steps", *[f"{rate:>6g}" for rate in rates])
    for schedule in ("constant", "falls"):
        found = distances(rates, 10, schedule, steps=2000)
        medians = found.median(dim=1).values
        best = found[medians.argmin()]
        print(f"  {schedule:23}", *[f"{median:6.2f}" for median in medians])
        print(f"    best, 10 seeds: {best.min():.2f} to {best.max():.2f}")
