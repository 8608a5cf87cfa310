# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
from math import log

import matplotlib.pyplot as plt
import torch


def best_of_n(n: int, p: torch.Tensor) -> torch.Tensor:
    """Probabilities of answers, worst score first, if the best of n is taken."""
    powers = p.cumsum(0).pow(n)
    # Rounding may let a power step down: that is no negative probability.
    return powers.diff(prepend=torch.zeros(1)).clamp(min=0)


def kl(q: torch.Tensor, p: torch.Tensor) -> float:
    return torch.xlogy(q, q / p).sum().item()


def bound(n: int) -> float:
    return log(n) - (n - 1) / n


def quality(n: int, freedom: float | None) -> float:
    """Mean quality of the best of n by score = quality + error, by a grid.

    The error is normal or, with ``freedom``, Student's t; its variance is 1.
    """
    x = torch.linspace(-8, 8, 401, dtype=torch.double)
    score = torch.linspace(-9, 9, 1501, dtype=torch.double).sinh()
    error = score[:, None] - x
    if freedom is None:
        density = (-error.square() / 2).exp()
    else:
        density = (1 + error.square() / (freedom - 2)).pow(-(freedom + 1) / 2)
    joint = density * (-x.square() / 2).exp() * (1 + score.square()).sqrt()[:, None]
    joint = joint / joint.sum()
    mass = joint.sum(1)
    given = (joint @ x) / mass.clamp(min=1e-300)
    return (best_of_n(n, mass) @ given).item()


if __name__ == "__main__":
    print("n      log n - (n-1)/n   many answers   two answers")
    for n in (4, 64, 1024):
        many, two = (
            torch.full((k,), 1 / k, dtype=torch.double) for k in (10**6, 2)
        )
        row = [kl(best_of_n(n, p), p) for p in (many, two)]
        print(f"{n:4} {bound(n):17.2f} {row[0]:14.2f} {row[1]:13.2f}")
    figure, axes = plt.subplots(figsize=(5, 3), layout="constrained")
    counts = [2**k for k in range(13)]
    for freedom, style in ((None, "-"), (5, "--"), (3, ":")):
        name = "normal error" if freedom is None else f"t, {freedom} degrees"
        values = [quality(n, freedom) for n in counts]
        axes.plot([bound(n) for n in counts], values, style, label=name)
    axes.set(xlabel="KL of the best of n, in nats", ylabel="mean quality")
    axes.legend()
    plt.show()
