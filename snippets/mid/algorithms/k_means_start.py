# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib"]
# ///
import matplotlib.pyplot as plt
import torch
from torch import Tensor


def k_means(points: Tensor, centers: Tensor) -> list[float]:
    """The sum of squared distances after each of Lloyd's steps, until it stays."""
    costs: list[float] = []
    while len(costs) < 2 or costs[-1] < costs[-2]:
        distance, owner = torch.cdist(points, centers).min(dim=1)
        costs.append(distance.square().sum().item())
        sums = torch.zeros_like(centers).index_add(0, owner, points)
        counts = owner.bincount(minlength=len(centers))[:, None]
        centers = torch.where(counts > 0, sums / counts.clamp(min=1), centers)
    return costs


def spread(points: Tensor, k: int) -> Tensor:
    """k-means++: each next center is a point, drawn by its squared distance."""
    centers = points[torch.randint(len(points), (1,))]
    while len(centers) < k:
        nearest = torch.cdist(points, centers).amin(dim=1).square()
        centers = torch.cat([centers, points[nearest.multinomial(1)]])
    return centers


def clusters(places: list[list[float]], n: int = 60) -> Tensor:
    """n points around each place, with a deviation of 0.5."""
    centers = torch.tensor(places, dtype=torch.double).repeat_interleave(n, dim=0)
    return centers + 0.5 * torch.randn_like(centers)


if __name__ == "__main__":
    torch.manual_seed(0)
    points = clusters([[0, 0], [0, 8], [8, 0], [8, 8], [4, 4]])
    starts = {
        "random points": lambda: points[torch.randperm(len(points))[:5]],
        "k-means++": lambda: spread(points, 5),
    }
    ends = {
        name: sorted(k_means(points, start())[-1] for _ in range(200))
        for name, start in starts.items()
    }
    best = min(map(min, ends.values()))
    plt.figure(figsize=(5.2, 3.1))
    for name, costs in ends.items():
        found = sum(cost < 1.01 * best for cost in costs)
        print(f"{name}: {found} of 200 find the best sum")
        plt.plot([cost / best for cost in costs], label=name)
    plt.yscale("log")
    plt.xlabel("start, sorted by its end")
    plt.ylabel("sum over the best sum")
    plt.legend()
    plt.show()
