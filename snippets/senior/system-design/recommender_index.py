# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
#
# [tool.warmup]
# output = "measured"
# tolerance = 0.03
# ///
import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from torch import Tensor


def k_means(x: Tensor, k: int, steps: int = 8) -> tuple[Tensor, Tensor]:
    """Centers (k, d) of unit vectors ``x`` (n, d), and the list of each (n,)."""
    centers = x[
        torch.randperm(len(x), generator=torch.Generator().manual_seed(5))[:k]
    ]
    for _ in range(steps):
        nearest = (x @ centers.T).argmax(1)
        centers = torch.zeros_like(centers).index_add_(0, nearest, x)
        centers = F.normalize(centers, dim=1)
    return centers, (x @ centers.T).argmax(1)


def curve(x: Tensor, queries: Tensor, probes: list[int]) -> list[tuple[float, ...]]:
    """Search an inverted file of 100 lists.

    Args:
        x: unit vectors of the items, (n, d).
        queries: unit vectors, (m, d).
        probes: numbers of lists to open, the nearest to the query first.

    Returns:
        Per number of lists: share of items scanned, recall of the exact top 10.
    """
    centers, nearest = k_means(x, 100)
    scores = queries @ x.T
    exact = scores.topk(10).indices
    points = []
    for probe in probes:
        lists = (queries @ centers.T).topk(probe).indices
        opened = torch.zeros(len(queries), 100, dtype=torch.bool)
        scanned = opened.scatter_(1, lists, True)[:, nearest]
        found = scores.masked_fill(~scanned, -torch.inf).topk(10).indices
        hits = (exact[:, :, None] == found[:, None, :]).any(2)
        points.append((scanned.float().mean().item(), hits.float().mean().item()))
    return points


def random_vectors(n: int, seed: int = 0) -> Tensor:
    """n unit vectors of 32 numbers without structure."""
    make = torch.Generator().manual_seed(seed)
    return F.normalize(torch.randn(n, 32, generator=make), dim=1)


def clustered_vectors(n: int, seed: int = 0, spread: float = 0.5) -> Tensor:
    """n unit vectors around 200 centers, as items around 200 tastes."""
    make = torch.Generator().manual_seed(seed)
    centers = torch.randn(200, 32, generator=make)
    around = centers[torch.randint(200, (n,), generator=make)]
    return F.normalize(around + spread * torch.randn(n, 32, generator=make), dim=1)


if __name__ == "__main__":
    probes = [1, 2, 5, 10, 20, 40]
    print("lists opened  " + "".join(f"{probe:7}" for probe in probes))
    kinds = {"random": random_vectors, "clustered": clustered_vectors}
    for (name, make), style in zip(kinds.items(), ("o--", "s-"), strict=True):
        vectors = make(20_200)
        points = curve(vectors[:20_000], vectors[20_000:], probes)
        plt.plot(*zip(*points, strict=True), style, label=f"{name} vectors")
        print(f"{name:14}" + "".join(f"{found:7.2f}" for _, found in points))
    plt.xlabel("share of items scanned")
    plt.ylabel("recall of the exact top 10")
    plt.ylim(0, 1.05)
    plt.legend()
    plt.show()
