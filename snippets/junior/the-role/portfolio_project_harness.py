# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "scikit-learn", "matplotlib>=3.8"]
# ///
from collections.abc import Sequence

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn


def interval(
    values: torch.Tensor, resamples: int = 1000, seed: int = 0
) -> tuple[float, float, float]:
    """Mean of ``values``, and its 95 percent interval by the bootstrap.

    Args:
        values: one number per test sample, floating point, shape (N,), N > 0.
    """
    generator = torch.Generator().manual_seed(seed)
    n = len(values)
    picks = torch.randint(n, (resamples, n), generator=generator)
    ends = torch.tensor([0.025, 0.975], dtype=values.dtype)
    low, high = values[picks].mean(dim=1).quantile(ends)
    return values.mean().item(), low.item(), high.item()


def build(hidden: int) -> nn.Module:
    """Digits (N, 64) -> logits (N, 10), without or with a hidden layer."""
    if hidden == 0:
        return nn.Linear(64, 10)
    return nn.Sequential(nn.Linear(64, hidden), nn.ReLU(), nn.Linear(hidden, 10))


def train(
    model: nn.Module, x: torch.Tensor, y: torch.Tensor, rate: float, steps: int = 80
) -> nn.Module:
    """Train on x, float32 (N, inputs), and y, int64 (N,); returns the model."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate)
    for _ in range(steps):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval()


def tuned(hidden: int, rates: Sequence[float]) -> tuple[float, torch.Tensor]:
    """The best rate on validation digits, and 1 or 0 for each test digit."""
    best, result = -1.0, (0.0, torch.empty(0))
    for rate in rates:
        torch.manual_seed(0)
        model = train(build(hidden), X[TRAINING], Y[TRAINING], rate)
        right = (model(X).argmax(dim=1) == Y).double()
        if (found := right[VALIDATION].mean().item()) > best:
            best, result = found, (rate, right[TEST])
    return result


images, labels = load_digits(return_X_y=True)
X, Y = torch.tensor(images / 16, dtype=torch.float32), torch.tensor(labels)
torch.manual_seed(0)
PART = torch.randperm(len(Y))
TEST, VALIDATION, TRAINING = PART < 450, (PART >= 450) & (PART < 800), PART >= 800

if __name__ == "__main__":
    rates = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
    right, comparisons = {}, []
    for name, hidden, tried in (
        ("baseline at 0.01", 0, (0.01,)),
        ("baseline tuned", 0, rates),
        ("network tuned", 64, rates),
        ("wider tuned", 128, rates),
    ):
        rate, right[name] = tuned(hidden, tried)
        print(f"{name:17} rate {rate:<5}  accuracy {100 * right[name].mean():.1f}")
    for row, (new, old) in enumerate(
        (
            ("network tuned", "baseline at 0.01"),
            ("network tuned", "baseline tuned"),
            ("wider tuned", "network tuned"),
        )
    ):
        mean, low, high = (100 * v for v in interval(right[new] - right[old]))
        verdict = "above zero" if low > 0 else "contains zero"
        print(f"{new} - {old}: {mean:+.1f} [{low:+.1f}, {high:+.1f}] {verdict}")
        plt.plot([low, high], [-row, -row], "C0-", linewidth=3)
        plt.plot([mean], [-row], "C0o")
        plt.text(low, 0.15 - row, f"{new} - {old}")
    plt.axvline(0, color="C1", linestyle="--", label="no difference")
    plt.yticks([])
    plt.xlim(-2, 8.5)
    plt.ylim(-2.8, 0.6)
    plt.xlabel("difference in test accuracy (points), 95% interval")
    plt.legend(loc="lower right")
    plt.show()
