import torch


def metrics(scores: torch.Tensor, labels: torch.Tensor) -> tuple[float, float]:
    """ROC-AUC and average precision of scores (n,) without ties; labels 0 or 1."""
    hit = labels[scores.argsort(descending=True)].bool()
    found = hit.cumsum(0).double()
    precision = found / torch.arange(1, len(hit) + 1)
    return (found[~hit] / hit.sum()).mean().item(), precision[hit].mean().item()


def quantiles(n: int, mean: float) -> torch.Tensor:
    """A sample of n from a normal distribution with deviation 1, without luck."""
    return mean + torch.special.ndtri(
        (torch.arange(n, dtype=torch.double) + 0.5) / n
    )


if __name__ == "__main__":
    for n in (100_000, 20_000, 2_000, 200):
        labels = torch.arange(200_000) < n
        scores = torch.cat([quantiles(n, 2.0), quantiles(200_000 - n, 0.0)])
        auc, ap = metrics(scores, labels)
        precision = labels[scores > 1].double().mean()
        rest = f"AUC {auc:.2f}, AP {ap:.2f}, precision above 1: {precision:.3f}"
        print(f"{n / 200_000:5.1%} positives: {rest}")
