import torch


def k_means(points: torch.Tensor, centers: torch.Tensor, rounds=100) -> float:
    """Where the sum of squared distances ends. points: (n, d), centers: (k, d)."""
    for _ in range(rounds):
        distance, owner = torch.cdist(points, centers).min(dim=1)
        sums = torch.zeros_like(centers).index_add(0, owner, points)
        counts = owner.bincount(minlength=len(centers))[:, None]
        last = centers
        centers = torch.where(counts > 0, sums / counts.clamp(min=1), centers)
        if centers.equal(last):
            break
    return distance.square().sum().item()


if __name__ == "__main__":
    torch.manual_seed(0)
    places = torch.tensor([[0.0, 0], [0, 8], [8, 0], [8, 8], [4, 4]]).double()
    points = torch.normal(places.repeat_interleave(60, dim=0), 0.5)
    starts = torch.rand(200, 300).topk(5).indices
    costs = torch.tensor([k_means(points, points[start]) for start in starts])
    print(f"{(costs < 1.01 * costs.min()).sum()} of 200 find the best sum")
    print(f"the worst ends at {costs.max() / costs.min():.0f} times as much")
