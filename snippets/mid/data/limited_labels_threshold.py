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
pool, test, _ = torch.randperm(len(x)).split([450, 700, 647])


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
    guess = (x[test] @ weights).argmax(dim=1)
    return 100 * (guess == y[test]).double().mean().item()


def most_confident(scores: torch.Tensor, count: int) -> torch.Tensor:
    """Marks ``count`` rows of each guessed class, or all if it has fewer."""
    kept = torch.zeros(len(scores), dtype=torch.bool)
    confidence, guess = scores.max(dim=1)
    for c in range(scores.shape[1]):
        (of_class,) = (guess == c).nonzero(as_tuple=True)
        kept[of_class[confidence[of_class].argsort(descending=True)[:count]]] = True
    return kept


thresholds = [0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95]
rules = {f"threshold {t}": lambda p, t=t: p.amax(dim=1) >= t for t in thresholds}
rules["40 per class"] = lambda p: most_confident(p, 40)
found, rarest = {"supervised": []}, {name: [] for name in rules}
for seed in range(5):
    order = pool[torch.randperm(450, generator=torch.Generator().manual_seed(seed))]
    rows = torch.cat([order[y[order] == c][:3] for c in range(10)])
    rest = pool[~torch.isin(pool, rows)]
    first = fit(x[rows], y[rows])
    found["supervised"].append(accuracy(first))
    for name, rule in rules.items():
        weights = first
        for _ in range(2):
            scores = (x[rest] @ weights).softmax(dim=1)
            kept, guess = rule(scores), scores.argmax(dim=1)
            both = torch.cat([x[rows], x[rest][kept]])
            weights = fit(both, torch.cat([y[rows], guess[kept]]))
        found.setdefault(name, []).append(accuracy(weights))
        rarest[name].append(guess[kept].bincount(minlength=10).min().item())
mean = {name: sum(scores) / 5 for name, scores in found.items()}
for name, score in mean.items():
    print(f"{name:14} {score:.0f}%  rarest class: {rarest.get(name, '-')}")
pseudo = [found[f"threshold {t}"] for t in thresholds]
plt.plot(thresholds, [sum(p) / 5 for p in pseudo], "o-", label="threshold")
plt.plot(thresholds, pseudo, ".", color="C0", alpha=0.4)
for name, style in (("40 per class", ":"), ("supervised", "--")):
    plt.axhline(mean[name], color="gray", linestyle=style, label=name)
plt.xlabel("confidence threshold")
plt.ylabel("test accuracy, %")
plt.ylim(0, 100)
plt.legend(loc="lower left")
plt.show()
