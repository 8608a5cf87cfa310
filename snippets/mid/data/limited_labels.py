# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "scikit-learn"]
# ///
import torch
from sklearn.datasets import load_digits
from torch.nn import functional as F

torch.set_num_threads(1)


def fit(x: torch.Tensor, target: torch.Tensor, decay: float) -> torch.Tensor:
    """Weights (D, R, 10) of R softmax regressions on the same x (N, D), float64.

    target: (N, R, 10), float64. A label is a one; a row of zeros is left out.
    """
    target = target / target.sum(dim=(0, 2), keepdim=True)
    weights = x.new_zeros(x.shape[1], *target.shape[1:]).requires_grad_()
    optimizer = torch.optim.Adam([weights], lr=0.3)
    for _ in range(40):
        logits = (x @ weights.flatten(1)).view_as(target)
        loss = -(target * logits.log_softmax(dim=2)).sum()
        optimizer.zero_grad()
        (loss + decay * weights.square().sum()).backward()
        optimizer.step()
    return weights.detach()


def with_guesses(
    x: torch.Tensor, target: torch.Tensor, weights: torch.Tensor, threshold: float
) -> torch.Tensor:
    """``target``, and the confident guesses of a model for rows without a label."""
    logits = (x @ weights.flatten(1)).view_as(target)
    confidence, guess = logits.softmax(dim=2).max(dim=2, keepdim=True)
    guesses = torch.zeros_like(target).scatter(2, guess, 1.0)
    guesses *= confidence >= threshold
    return torch.where(target.sum(dim=2, keepdim=True) > 0, target, guesses)


def draw(y: torch.Tensor, per_class: int, seed: int) -> torch.Tensor:
    """A target, (N, 10), with ``per_class`` random labels of each class."""
    order = torch.randperm(len(y), generator=torch.Generator().manual_seed(seed))
    rows = torch.cat([order[y[order] == c][:per_class] for c in range(10)])
    target = torch.zeros(len(y), 10, dtype=torch.float64)
    target[rows, y[rows]] = 1.0
    return target


if __name__ == "__main__":
    torch.manual_seed(0)
    pixels, digits = load_digits(return_X_y=True)
    x, y = F.pad(torch.tensor(pixels) / 16, (0, 1), value=1.0), torch.tensor(digits)
    pool, val, test, _ = torch.randperm(len(x)).split([450, 200, 700, 447])
    found = {"30 labels": {}, "pseudo-labels": {}, "100 labels": {}}
    few = torch.stack([draw(y[pool], 3, seed) for seed in range(5)], dim=1)
    many = torch.stack([draw(y[pool], 10, seed) for seed in range(5)], dim=1)
    for decay in (1e-4, 1e-3, 1e-2, 1e-1):
        found["30 labels"][decay,] = first = fit(x[pool], few, decay)
        found["100 labels"][decay,] = fit(x[pool], many, decay)
        for threshold in (0.3, 0.5, 0.7) if decay < 0.1 else ():
            weights = first
            for _ in range(2):
                target = with_guesses(x[pool], few, weights, threshold)
                weights = fit(x[pool], target, decay)
            found["pseudo-labels"][decay, threshold] = weights
    chosen = {}
    print("               best  per draw  worst")
    for name, grid in found.items():
        scores = {}
        for setting, weights in grid.items():
            guess = (x @ weights.flatten(1)).view(-1, 5, 10).argmax(dim=2)
            right = 100 * (guess == y.unsqueeze(1)).double()
            scores[setting] = right[val].mean().item(), right[test].mean(dim=0)
        worst, *_, best = sorted(scores, key=lambda setting: scores[setting][0])
        chosen[name] = scores[best][1]
        gain = chosen[name] - chosen["30 labels"]
        what = [f"{n} {v:g}" for n, v in zip(("decay", "threshold"), worst)]
        print(f"{name:13}  {chosen[name].mean():3.0f}%", end="")
        print(f"  {gain.min():+.0f} to {gain.max():+.0f}", end="")
        print(f"  {scores[worst][1].mean():4.0f}%  {', '.join(what)}")
