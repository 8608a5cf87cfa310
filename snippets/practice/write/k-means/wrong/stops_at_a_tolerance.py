"""It stops when the centroids move by less than a fixed number, which for points
close together is at once.
"""

import torch
from torch import Tensor


def nearest(x: Tensor, centroids: Tensor) -> Tensor:
    return torch.cdist(x, centroids).argmin(dim=1)


def kmeans(x: Tensor, centroids: Tensor, steps: int) -> tuple[Tensor, Tensor]:
    for _ in range(steps):
        owner = nearest(x, centroids)
        sums = torch.zeros_like(centroids).index_add(0, owner, x)
        counts = torch.bincount(owner, minlength=len(centroids))[:, None]
        new = torch.where(counts > 0, sums / counts.clamp(min=1), centroids)
        moved = (new - centroids).norm()
        centroids = new
        if moved < 1e-4:
            break
    return centroids, nearest(x, centroids)
