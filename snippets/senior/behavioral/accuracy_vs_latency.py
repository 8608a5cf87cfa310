# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "scikit-learn>=1.4", "matplotlib>=3.8"]
# ///
from itertools import pairwise
from math import sqrt

import matplotlib.pyplot as plt
import torch
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

TRAIN = 900


def digits(seed: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Images and labels of 900 rows to train on, then of 897 to test."""
    images, labels = map(torch.tensor, load_digits(return_X_y=True))
    order = torch.randperm(
        len(labels), generator=torch.Generator().manual_seed(seed)
    )
    train, test = order[:TRAIN], order[TRAIN:]
    images = images / 16
    return images[train], labels[train], images[test], labels[test]


def train(
    images: Tensor,
    labels: Tensor,
    hidden: list[int],
    steps: int,
    lr: float,
    seed: int,
) -> nn.Sequential:
    """An MLP with these hidden widths, in float64, so that machines agree."""
    torch.manual_seed(seed)
    layers: list[nn.Module] = []
    for before, after in pairwise([64, *hidden, 10]):
        layers += [nn.Linear(before, after, dtype=torch.float64), nn.ReLU()]
    model = nn.Sequential(*layers[:-1])
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    for _ in range(steps):
        rows = torch.randint(len(labels), (128,))
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(images[rows]), labels[rows]).backward()
        optimizer.step()
    return model.requires_grad_(False)


def rounded(model: nn.Sequential, bits: int) -> nn.Sequential:
    """A copy whose weights are rounded to ``bits``, with one scale per row."""
    layers: list[nn.Module] = []
    for layer in model:
        if isinstance(layer, nn.Linear):
            most = 2 ** (bits - 1) - 1
            scale = layer.weight.abs().amax(1, keepdim=True).clamp(1e-30) / most
            copy = nn.Linear(*layer.weight.T.shape, dtype=torch.float64)
            copy.load_state_dict(
                {
                    "weight": (layer.weight / scale).round() * scale,
                    "bias": layer.bias,
                }
            )
            layer = copy.requires_grad_(False)
        layers.append(layer)
    return nn.Sequential(*layers)


def size(model: nn.Module, bits: int = 32) -> float:
    """Bytes of weights in ``bits``, biases in float32, and the scales of rows."""
    weights = [p for p in model.parameters() if p.dim() == 2]
    per_row = 4 if bits == 32 else 8  # its bias, its scale
    return sum(w.numel() * bits / 8 + per_row * len(w) for w in weights)


def lost(before: Tensor, after: Tensor) -> tuple[float, float, float]:
    """Points of accuracy lost, and a 95% Wald interval for pairs, smoothed by one.

    Args:
        before, after: for the same rows, whether each answer was right.
    """
    rows = len(before) + 2
    worse = (int((before & ~after).sum()) + 1) / rows
    better = (int((after & ~before).sum()) + 1) / rows
    half = 1.96 * sqrt((worse + better - (worse - better) ** 2) / rows)
    middle = worse - better
    points = 100 * float(before.double().mean() - after.double().mean())
    return points, 100 * (middle - half), 100 * (middle + half)


def flops(model: nn.Module) -> int:
    """Floating-point operations for one row."""
    with FlopCounterMode(display=False) as counter:
        model(torch.zeros(1, 64, dtype=torch.float64))
    return counter.get_total_flops()


def cascade(
    small: nn.Module, large: nn.Module, images: Tensor, sure: float
) -> tuple[Tensor, Tensor]:
    """Labels, and which rows went on to the large model: not sure, or NaN."""
    top, labels = small(images).softmax(1).max(1)
    passed_on = ~(top >= sure)
    labels[passed_on] = large(images[passed_on]).argmax(1)
    return labels, passed_on


if __name__ == "__main__":
    torch.set_num_threads(1)  # more do not pay for models this small
    images, labels, test, truth = digits(0)
    large = train(images, labels, [128, 128], steps=300, lr=0.003, seed=0)
    small = train(images, labels, [8], steps=400, lr=0.01, seed=0)
    wider = train(images, labels, [16], steps=400, lr=0.01, seed=0)
    reference = large(test).argmax(1) == truth
    all_of_it = flops(large)
    print(
        "                 accuracy   points lost (95%)      mean    worst   bytes"
    )

    def row(
        name: str, right: Tensor, mean: float, worst: float, stored: float
    ) -> None:
        points, low, high = lost(reference, right)
        accuracy = f"{right.double().mean():.1%}"
        interval = f"{points:4.1f} ({low:4.1f} to {high:4.1f})"
        costs = f"{mean / all_of_it:8.1%} {worst / all_of_it:8.1%}"
        print(f"{name:18}{accuracy:>6}   {interval} {costs} {stored:8,.0f}")

    row("large", reference, all_of_it, all_of_it, size(large))
    for name, model, bits in (
        ("large, 8 bits", large, 8),
        ("small", small, 32),
        ("small, 8 bits", small, 8),
        ("small, 4 bits", small, 4),
        ("small, 2 bits", small, 2),
        ("twice as wide", wider, 32),
    ):
        used = rounded(model, bits) if bits < 32 else model
        right = used(test).argmax(1) == truth
        row(name, right, flops(model), flops(model), size(model, bits))
    costs, accuracies = [], []
    for sure in (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99):
        answers, passed_on = cascade(small, large, test, sure)
        mean = flops(small) + passed_on.double().mean() * all_of_it
        costs.append(float(100 * mean / all_of_it))
        accuracies.append(float(100 * (answers == truth).double().mean()))
        if sure == 0.9:
            both = flops(small) + all_of_it
            total = size(small) + size(large)
            row("cascade, 0.9", answers == truth, mean, both, total)
            print(
                f"{passed_on.sum()} of {len(truth)} rows went on to the large model"
            )

    plt.plot(costs, accuracies, marker="o", label="cascade, sure at 0.5 to 0.99")
    points = (
        (small, "s", "small"),
        (wider, "D", "twice as wide"),
        (large, "^", "large"),
    )
    for model, marker, name in points:
        accuracy = 100 * float((model(test).argmax(1) == truth).double().mean())
        plt.plot(100 * flops(model) / all_of_it, accuracy, marker, label=name)
    plt.xscale("log")
    plt.xticks([1, 3, 10, 30, 100], ["1", "3", "10", "30", "100"])
    plt.xlabel("mean FLOPs (% of the large model's)")
    plt.ylabel("accuracy (%)")
    plt.legend()
    plt.show()
