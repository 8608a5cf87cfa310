"""The sums are divided by the same number for all clusters, not by the number of
their points.
"""

import torch
from torch import Tensor


def nearest(x: Tensor, centroids: Tensor) -> Tensor:
    return torch.cdist(x, centroids).argmin(dim=1)


def kmeans(x: Tensor, centroids: Tensor, steps: int) -> tuple[Tensor, Tensor]:
    for _ in range(steps):
        owner = nearest(x, centroids)
        sums = torch.zeros_like(centroids).index_add(0, owner, x)
        counts = torch.full((len(centroids), 1), len(x) // len(centroids))
        centroids = torch.where(counts > 0, sums / counts.clamp(min=1), centroids)
    return centroids, nearest(x, centroids)
