# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "scikit-learn", "matplotlib>=3.8"]
# ///
import statistics

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from sklearn.datasets import load_breast_cancer, load_digits
from torch import nn

RATES = (0.01, 0.03, 0.1, 0.3)


def build(kind: str, features: int, classes: int) -> nn.Module:
    """Logistic regression ("linear"), or one hidden layer of 64 ("network")."""
    if kind == "linear":
        return nn.Linear(features, classes)
    hidden = nn.Linear(features, 64)
    return nn.Sequential(hidden, nn.ReLU(), nn.Linear(64, classes))


def score(
    kind: str, x: torch.Tensor, y: torch.Tensor, per_column: bool, steps: int = 50
) -> float:
    """Test accuracy in percent, at the rate that is best on validation rows.

    Args:
        x: features, floating point, shape (N, features), rows in random order: the
            first half trains, the next quarter chooses the rate, the rest tests.
        y: class indices, int64, shape (N,).
        per_column: scale each column by itself, or (pixels) all of them alike.
    """
    train, test = len(y) // 2, 3 * len(y) // 4
    dim = 0 if per_column else None
    x = ((x - x[:train].mean(dim)) / x[:train].std(dim)).float()
    best, result = -1.0, 0.0
    for rate in RATES:
        model = build(kind, x.shape[1], len(y.unique()))
        optimizer = torch.optim.AdamW(model.parameters(), lr=rate)
        for _ in range(steps):
            optimizer.zero_grad()
            F.cross_entropy(model(x[:train]), y[:train]).backward()
            optimizer.step()
        right = (model(x).argmax(dim=1) == y).double()
        if (found := right[train:test].mean().item()) > best:
            best = found
            result = right[test:].mean().item()
    return 100 * result


def moved(images: torch.Tensor) -> torch.Tensor:
    """Digits (N, 64), moved by up to one pixel in a 10 x 10 frame: (N, 100)."""
    framed = F.pad(images.view(-1, 8, 8), (1, 1, 1, 1))
    shifts = torch.randint(-1, 2, (len(images), 2)).tolist()
    pairs = zip(framed, shifts)
    return torch.stack(
        [image.roll(shift, (0, 1)) for image, shift in pairs]
    ).flatten(1)


def load() -> dict[str, tuple[torch.Tensor, torch.Tensor]]:
    """Name -> features and labels of three data sets."""
    torch.manual_seed(0)
    table, sick = (
        torch.tensor(part) for part in load_breast_cancer(return_X_y=True)
    )
    pixels, digit = (torch.tensor(part) for part in load_digits(return_X_y=True))
    pixels, digit = pixels[:800], digit[:800]
    return {
        "table": (table, sick),
        "digits": (pixels, digit),
        "moved digits": (moved(pixels), digit),
    }


def compare(
    x: torch.Tensor, y: torch.Tensor, per_column: bool, splits: range
) -> dict[str, list[float]]:
    """Kind of model -> test accuracy in percent for each split."""
    found = {"linear": [], "network": []}
    for split in splits:
        torch.manual_seed(split)
        rows = torch.randperm(len(y))
        for kind, scores in found.items():
            scores.append(score(kind, x[rows], y[rows], per_column))
    return found


if __name__ == "__main__":
    for row, (name, (x, y)) in enumerate(load().items()):
        found = compare(x, y, per_column=name == "table", splits=range(5))
        gains = [new - old for old, new in zip(*found.values())]
        mean, spread = statistics.mean(gains), statistics.stdev(gains)
        averages = [
            f"{kind} {statistics.mean(of):.1f}" for kind, of in found.items()
        ]
        print(
            f"{name:13}", *averages, f"gain {mean:+.1f} ± {spread:.1f}", sep="   "
        )
        for (kind, scores), marker, color in zip(found.items(), "os", ("C0", "C1")):
            place = [row + (0.12 if kind == "network" else -0.12)] * len(scores)
            label = kind if row == 0 else None
            plt.plot(place, scores, marker, color=color, alpha=0.6, label=label)
    plt.xticks(range(3), ["table", "digits", "moved digits"])
    plt.ylabel("test accuracy (%), five splits")
    plt.legend()
    plt.show()
