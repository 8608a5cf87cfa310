import torch


def kmeans(x, centroids, steps):
    for _ in range(steps):
        owner = torch.cdist(x, centroids).argmin(1)
        moved = centroids.scatter_reduce(
            0, owner[:, None].expand_as(x), x, "mean", include_self=False
        )
        if torch.equal(moved, centroids):
            break
        centroids = moved
    return centroids, torch.cdist(x, centroids).argmin(1)
