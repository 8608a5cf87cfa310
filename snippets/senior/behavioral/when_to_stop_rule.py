# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
from itertools import pairwise
from math import ceil

import matplotlib.pyplot as plt
import torch
from torch import Tensor

NEED, PAYS = 0.90, 0.01  # written down before the first round


def interval(values: Tensor) -> tuple[float, float]:
    """95% interval of the mean, by the normal approximation."""
    mean, error = values.double().mean().item(), values.double().std().item()
    half = 1.96 * error / len(values) ** 0.5
    return mean - half, mean + half


def decide(old: Tensor, new: Tensor, need: float = NEED, pays: float = PAYS) -> str:
    """Whether to go on after a round.

    Args:
        old: (N,) bool, whether the model before answered each row correctly.
        new: (N,) bool, the same for the model of this round, on the same rows.
        need: the accuracy that the product needs.
        pays: the smallest gain that pays for another round.
    """
    _, high = interval(new.double() - old.double())  # row by row
    if high >= pays:  # another round may still pay
        return "go on"
    return "stop: good enough" if interval(new)[0] >= need else "stop: below need"


def rows_for(pays: float, differ: float = 0.1) -> int:
    """Rows for an interval of plus or minus ``pays``.

    Args:
        differ: the share of rows that exactly one of the two models has right.
    """
    return ceil(1.96**2 * differ / pays**2)


def answers(accuracies: list[float], rows: int, seed: int, shared: float = 0.7):
    """Who is right on each row: (models, rows). Hard rows are hard for all."""
    generator = torch.Generator().manual_seed(seed)
    hard = torch.rand(rows, generator=generator)
    size = (len(accuracies), rows)
    own = torch.rand(size, generator=generator)
    common = torch.rand(size, generator=generator) < shared
    return torch.where(common, hard, own) < torch.tensor(accuracies)[:, None]


if __name__ == "__main__":
    truth = [0.860, 0.900, 0.915, 0.919, 0.919]  # what nobody sees
    for rows in (500, 8_000):
        print(f"{rows:5,} rows   accuracy  gain of the round   decision")
        found = answers(truth, rows, seed=7)
        gains = [interval(b.double() - a.double()) for a, b in pairwise(found)]
        for turn, (low, high) in enumerate(gains, start=1):
            accuracy = found[turn].double().mean().item()
            decision = decide(found[turn - 1], found[turn])
            gain = f"{100 * low:+4.1f} to {100 * high:+4.1f}"
            print(
                f"round {turn}      {accuracy:5.1%}      {gain}        {decision}"
            )
        middle = [50 * (low + high) for low, high in gains]
        half = [50 * (high - low) for low, high in gains]
        turns = [turn + (0.06 if rows > 500 else -0.06) for turn in range(1, 5)]
        style = "o" if rows > 500 else "s"
        plt.errorbar(
            turns, middle, half, fmt=style, capsize=4, label=f"{rows:,} rows"
        )
    print(f"rows for one point more or less: {rows_for(PAYS):,}")
    plt.axhline(100 * PAYS, color="gray", linewidth=0.8, linestyle=":")
    plt.xticks(range(1, 5))
    plt.xlabel("round")
    plt.ylabel("gain of the round (points)")
    plt.legend()
    plt.show()
