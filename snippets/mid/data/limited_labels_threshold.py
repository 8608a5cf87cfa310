# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "scikit-learn", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
from sklearn.datasets import load_digits
from torch.nn import functional as F

torch.set_num_threads(1)
torch.manual_seed(0)
pixels, digits = load_digits(return_X_y=True)
x, y = F.pad(torch.tensor(pixels) / 16, (0, 1), value=1.0), torch.tensor(digits)
pool, test, _ = torch.randperm(len(x)).split([700, 700, 397])


def fit(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    weights = torch.zeros(65, 10, dtype=x.dtype, requires_grad=True)
    optimizer = torch.optim.Adam([weights], lr=0.3)
    for _ in range(40):
        loss = F.cross_entropy(x @ weights, y) + 1e-3 * weights.square().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return weights.detach()


def accuracy(weights: torch.Tensor) -> float:
    return (
        100 * ((x[test] @ weights).argmax(dim=1) == y[test]).double().mean().item()
    )


thresholds, runs, fewest = (0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95), [], []
for seed in range(5):
    order = pool[torch.randperm(700, generator=torch.Generator().manual_seed(seed))]
    rows = torch.cat([order[y[order] == c][:3] for c in range(10)])
    rest = pool[~torch.isin(pool, rows)]
    first = fit(x[rows], y[rows])
    runs.append([accuracy(first)])
    fewest.append([])
    for threshold in thresholds:
        weights = first
        for _ in range(2):
            confidence, guess = (x[rest] @ weights).softmax(dim=1).max(dim=1)
            kept = confidence >= threshold
            both = torch.cat([x[rows], x[rest][kept]])
            weights = fit(both, torch.cat([y[rows], guess[kept]]))
        runs[-1].append(accuracy(weights))
        fewest[-1].append(guess[kept].bincount(minlength=10).min().item())
supervised, *pseudo = torch.tensor(runs).T
print(f"{'supervised':15} {supervised.mean():.0f}%")
for threshold, found, few in zip(thresholds, pseudo, zip(*fewest), strict=True):
    print(f"threshold {threshold:<5} {found.mean():.0f}%  rarest class: {few}")
plt.axhline(supervised.mean(), color="gray", linestyle="--", label="30 labels")
plt.plot(
    thresholds, [found.mean() for found in pseudo], "o-", label="pseudo-labels"
)
for found in zip(*pseudo):
    plt.plot(thresholds, found, ".", color="C0", alpha=0.4)
plt.xlabel("confidence threshold")
plt.ylabel("test accuracy, %")
plt.ylim(0, 100)
plt.legend(loc="lower left")
plt.show()
