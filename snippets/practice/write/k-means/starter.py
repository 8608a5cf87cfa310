import torch
from torch import Tensor


def kmeans(x: Tensor, centroids: Tensor, steps: int) -> tuple[Tensor, Tensor]:
    """Lloyd's k-means, without a Python loop over points.

    A round assigns each point to its nearest centroid (Euclidean), and then moves
    each centroid to the mean of its points. A centroid without points stays where
    it is. No tensor may have N * K * D elements; N * K is fine.

    Args:
        x: the points (N, D), N >= 1, float32 or float64.
        centroids: (K, D), K >= 1, where to start; dtype and device of x. Neither
            argument is changed.
        steps: rounds, 0 or more. You may stop earlier, but only when nothing
            changes any more, however close the points are.

    Returns:
        The centroids (K, D) after the last round, and for each point the index (N,)
        int64 of the nearest of these centroids. Ties are left open.
    """
    raise NotImplementedError
