import torch

SEEDS = range(5)
RATES = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3]
NORMS = [0.1, 0.3, 1.0, 3.0, 10.0, torch.inf]  # inf: no clipping


def errors(outliers: float, steps: int = 200) -> torch.Tensor:
    """Distance to the true weights after SGD: float64 (norms, rates, seeds).

    Linear regression with ten weights and batches of 16. A label is wrong by a
    normal number, times 1, or with probability ``outliers`` times 100.
    """
    grid = torch.cartesian_prod(torch.tensor(NORMS), torch.tensor(RATES)).double()
    limit, rate = grid[:, :1], grid[:, 1:]
    found = []
    for seed in SEEDS:
        g = torch.Generator().manual_seed(seed)
        true = torch.randn(10, generator=g, dtype=torch.float64)
        w = torch.zeros(len(grid), 10, dtype=torch.float64)
        for _ in range(steps):
            x = torch.randn(16, 10, generator=g, dtype=torch.float64)
            noise = torch.randn(16, generator=g, dtype=torch.float64)
            noise *= 1 + 99 * (torch.rand(16, generator=g) < outliers)
            gradient = 2 * (w @ x.T - x @ true - noise) @ x / 16
            norm = gradient.norm(dim=1, keepdim=True)
            w -= rate * (limit / (norm + 1e-6)).clamp(max=1.0) * gradient
        found.append((w - true).norm(dim=1))
    return torch.stack(found, dim=1).view(len(NORMS), len(RATES), len(SEEDS))


if __name__ == "__main__":
    for outliers in (0.0, 0.02):
        table = errors(outliers)
        print(f"{outliers:.0%} of the labels are outliers")
        for clipped in (False, True):
            means = (table if clipped else table[-1:]).mean(dim=2)
            norm, rate = divmod(means.argmin().item(), len(RATES))
            norm = norm if clipped else -1
            best = table[norm, rate]
            print(
                f"  max_norm {NORMS[norm]:4}, rate {RATES[rate]:5}:"
                f" error {best.min():.2f} to {best.max():.2f}"
            )
