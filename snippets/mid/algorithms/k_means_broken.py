import torch


def two_means(points: torch.Tensor) -> torch.Tensor:
    """Labels of two clusters: the best of ten starts of Lloyd's steps."""
    best = torch.inf, None
    for _ in range(10):
        centers = points[torch.randperm(len(points))[:2]]
        for _ in range(30):
            distance, owner = torch.cdist(points, centers).min(dim=1)
            centers = torch.stack(
                [points[owner == i].mean(dim=0) for i in range(2)]
            )
        best = min(best, (distance.square().sum(), owner), key=lambda end: end[0])
    return best[1]


torch.manual_seed(0)
group = torch.arange(400) % 2
length = group + 0.1 * torch.randn(
    400, dtype=torch.double
)  # tells the groups apart
weight = 50 + 10 * torch.randn(400, dtype=torch.double)  # does not
for unit, points in {
    "kilograms": torch.stack([length, weight / 1000], dim=1),
    "grams": torch.stack([length, weight], dim=1),
}.items():
    same = (two_means(points) == group).double().mean().item()
    print(f"weight in {unit}: {max(same, 1 - same):.0%} in their group")
