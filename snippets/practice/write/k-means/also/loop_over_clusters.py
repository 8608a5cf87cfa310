import torch


def distances(x, centroids):
    return torch.stack([(x - one).pow(2).sum(dim=1) for one in centroids], dim=1)


def kmeans(x, centroids, steps):
    owner = distances(x, centroids).min(dim=1).indices
    for _ in range(steps):
        centroids = torch.stack(
            [
                x[owner == k].mean(0) if bool((owner == k).any()) else old
                for k, old in enumerate(centroids)
            ]
        )
        owner = distances(x, centroids).min(dim=1).indices
    return centroids, owner
