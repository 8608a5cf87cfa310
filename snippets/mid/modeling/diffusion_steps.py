# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import math

import matplotlib.pyplot as plt
import torch

MODES = torch.tensor([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]).double()
WIDTH = 0.1  # standard deviation of the data around each mode


def data(count: int, generator: torch.Generator) -> torch.Tensor:
    """Points around the four modes, float64, shape (count, 2)."""
    mode = MODES[torch.randint(4, (count,), generator=generator)]
    noise = torch.randn(count, 2, generator=generator, dtype=torch.float64)
    return mode + WIDTH * noise


def kept_variance(steps: int) -> torch.Tensor:
    """Cosine schedule: 1 at step 0, almost 0 at the last; float64, (steps + 1,)."""
    t = torch.arange(steps + 1, dtype=torch.float64) / steps
    kept = ((t + 0.008) / 1.008 * math.pi / 2).cos() ** 2
    return (kept / kept[0]).clamp(min=1e-5)


def best_noise(x: torch.Tensor, kept: torch.Tensor) -> torch.Tensor:
    """E[noise | x] for x = sqrt(kept) * data + sqrt(1 - kept) * noise.

    Args:
        x: float64, shape (N, 2).
        kept: float64 scalar above 0 and below 1.
    """
    variance = kept * WIDTH**2 + 1 - kept
    away = x[:, None] - kept.sqrt() * MODES
    share = (-away.square().sum(dim=2) / (2 * variance)).softmax(dim=1)
    return (1 - kept).sqrt() / variance * (share[:, :, None] * away).sum(dim=1)


def denoise(x: torch.Tensor, kept: torch.Tensor) -> list[torch.Tensor]:
    """Deterministic sampler (DDIM): x after each step, from kept[-1] to kept[0]."""
    path = [x]
    for now, before in zip(kept.flip(0), kept.flip(0)[1:]):
        noise = best_noise(x, now)
        clean = (x - (1 - now).sqrt() * noise) / now.sqrt()
        x = before.sqrt() * clean + (1 - before).sqrt() * noise
        path.append(x)
    return path


def distance(x: torch.Tensor) -> float:
    """Median distance of the points x, shape (N, 2), to the nearest mode."""
    return torch.cdist(x, MODES).min(dim=1).values.median().item()


if __name__ == "__main__":
    generator = torch.Generator().manual_seed(0)
    start = torch.randn(1000, 2, generator=generator, dtype=torch.float64)
    print(f"distance to a mode: data {distance(data(1000, generator)):.2f}")
    for steps in (1, 2, 5, 50):
        samples = denoise(start, kept_variance(steps))[-1]
        print(f"  sampled in {steps:2} steps {distance(samples):9.2f}")

    kept = kept_variance(50)
    points = data(100, generator)
    noise = torch.randn(100, 2, generator=generator, dtype=torch.float64)
    path = denoise(start[:100], kept)
    figure, axes = plt.subplots(2, 4, sharex=True, sharey=True)
    for column, t in enumerate((0, 8, 20, 50)):
        noised = kept[t].sqrt() * points + (1 - kept[t]).sqrt() * noise
        for row, shown in ((0, noised), (1, path[50 - t])):
            axes[row, column].plot(*shown.T, ".", markersize=3)
        axes[0, column].set(title=f"t = {t}", xticks=(-2, 0, 2))
    axes[0, 0].set(ylabel="noising", xlim=(-3, 3), ylim=(-3, 3))
    axes[1, 0].set_ylabel("sampling")
    plt.show()
