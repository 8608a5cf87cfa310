import torch.nn.functional as F


def kmeans(x, centroids, steps):
    means = centroids.clone()
    K = means.shape[0]

    def assign():
        # |x|^2 is the same for all centroids.
        return (means.square().sum(-1) - 2 * x @ means.T).argmin(-1)

    for _ in range(steps):
        members = F.one_hot(assign(), K).to(x.dtype)
        counts = members.sum(0)
        full = counts > 0
        means[full] = (members.T @ x)[full] / counts[full, None]
    return means, assign()
