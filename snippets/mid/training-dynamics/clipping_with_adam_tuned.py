# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch

RATES = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2]
NORMS = [0.01, 0.1, 1.0, 3.0, 10.0, torch.inf]  # inf: no clipping


def errors(
    outliers: float, beta2: float = 0.999, seeds: int = 8, steps: int = 200
) -> torch.Tensor:
    """Distance to the true weights after Adam: float64 (norms, rates, seeds).

    Linear regression with ten weights and batches of 16. A label is wrong by a
    normal number, times 1, or with probability ``outliers`` times 100.
    """
    grid = torch.cartesian_prod(torch.tensor(NORMS), torch.tensor(RATES)).double()
    limit, rate = grid[:, :1], grid[:, 1:]
    found = []
    for seed in range(seeds):
        g = torch.Generator().manual_seed(seed)
        true = torch.randn(10, generator=g, dtype=torch.float64)
        w, m, v = torch.zeros(3, len(grid), 10, dtype=torch.float64)
        for t in range(1, steps + 1):
            x = torch.randn(16, 10, generator=g, dtype=torch.float64)
            noise = torch.randn(16, generator=g, dtype=torch.float64)
            noise *= 1 + 99 * (torch.rand(16, generator=g) < outliers)
            gradient = 2 * (w @ x.T - x @ true - noise) @ x / 16
            norm = gradient.norm(dim=1, keepdim=True)
            gradient *= (limit / (norm + 1e-6)).clamp(max=1.0)
            m = 0.9 * m + 0.1 * gradient
            v = beta2 * v + (1 - beta2) * gradient**2
            root = (v / (1 - beta2**t)).sqrt()
            w = w - rate * m / (1 - 0.9**t) / (root + 1e-8)
        found.append((w - true).norm(dim=1))
    return torch.stack(found, dim=1).view(len(NORMS), len(RATES), seeds)


if __name__ == "__main__":
    print("outliers   max_norm   best rate   error, 8 seeds")
    styles = {0.0: "o-", 0.002: "s--", 0.02: "^:"}
    for outliers, style in styles.items():
        means = []
        for norm, table in zip(NORMS, errors(outliers)):
            rate = table.mean(dim=1).argmin().item()
            assert 0 < rate < len(RATES) - 1
            best = table[rate]
            means.append(best.mean().item())
            spread = f"{best.min():.2f} to {best.max():.2f}"
            print(f"{outliers:8.1%} {norm:10} {RATES[rate]:11} {spread:>16}")
        plt.plot(range(len(NORMS)), means, style, label=f"{outliers:.1%} of labels")
    plt.xticks(range(len(NORMS)), [*map(str, NORMS[:-1]), "none"])
    plt.xlabel("max_norm")
    plt.ylabel("error, mean of 8 seeds")
    plt.legend(title="outliers")
    plt.show()
