# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "scikit-learn"]
# ///
import statistics

import torch
import torch.nn.functional as F
from sklearn.datasets import load_breast_cancer, load_digits
from torch import nn


def summary(values: list[float], sign: str = "") -> str:
    """Mean and standard deviation as text."""
    return f"{statistics.mean(values):{sign}.1f} ± {statistics.stdev(values):.1f}"


def build(kind: str, features: int, classes: int) -> nn.Module:
    """Logistic regression ("linear"), or a network with one hidden layer ("network")."""
    if kind == "linear":
        return nn.Linear(features, classes)
    return nn.Sequential(nn.Linear(features, 64), nn.ReLU(), nn.Linear(64, classes))


def score(
    model: nn.Module, x: torch.Tensor, y: torch.Tensor, steps: int = 60
) -> float:
    """Train on the first three quarters of the rows, return the accuracy on the rest, in percent.

    Args:
        x: features, float32, shape (N, features), rows in random order.
        y: class indices, int64, shape (N,).
    """
    n = 3 * len(y) // 4
    x = (x - x[:n].mean(dim=0)) / x[:n].std(dim=0).clamp(min=0.1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.02)
    for _ in range(steps):
        loss = F.cross_entropy(model(x[:n]), y[:n])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return 100 * (model(x[n:]).argmax(dim=1) == y[n:]).float().mean().item()


if __name__ == "__main__":
    print("accuracy, five splits    linear       network      network - linear")
    for name, load in (
        ("table of measurements", load_breast_cancer),
        ("pixels of digits", load_digits),
    ):
        features, labels = (torch.tensor(part) for part in load(return_X_y=True))
        results, sizes = {"linear": [], "network": []}, {}
        for split in range(5):
            torch.manual_seed(split)
            rows = torch.randperm(len(labels))
            for kind in results:
                model = build(kind, features.shape[1], len(labels.unique()))
                results[kind].append(
                    score(model, features[rows].float(), labels[rows])
                )
                sizes[kind] = sum(
                    parameter.numel() for parameter in model.parameters()
                )
        gains = [network - linear for linear, network in zip(*results.values())]
        ratio = f"x {sizes['network'] / sizes['linear']:.0f}"
        print(
            f"{name:24} {summary(results['linear']):12} {summary(results['network']):12} {summary(gains, '+')}"
        )
        print(
            f"{'  parameters':24} {sizes['linear']:<12,} {sizes['network']:<12,} {ratio}"
        )
