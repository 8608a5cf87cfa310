# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib"]
# ///
from math import log, pi

import matplotlib.pyplot as plt
import torch

W, NOISE, X = 2.0, 0.5, 1.5  # z ~ N(0, 1), x ~ N(W z, NOISE): all known exactly


def elbo(mean: torch.Tensor, variance: torch.Tensor) -> torch.Tensor:
    """The bound for q = N(mean, variance): expected log p(x | z) minus KL."""
    error = (X - W * mean).square() + W**2 * variance
    kl = (mean.square() + variance - 1 - variance.log()) / 2
    return -log(2 * pi * NOISE) / 2 - error / (2 * NOISE) - kl


EVIDENCE = -log(2 * pi * (W**2 + NOISE)) / 2 - X**2 / (2 * (W**2 + NOISE))
VARIANCE = 1 / (1 + W**2 / NOISE)  # of the posterior
MEAN = VARIANCE * W * X / NOISE

if __name__ == "__main__":
    widths = torch.logspace(-1.2, 0.3, 100, dtype=torch.double)
    print(f"log p(x) {EVIDENCE:.3f}")
    plt.figure(figsize=(5.2, 3.1))
    plt.axhline(EVIDENCE, color="gray", linewidth=1)
    for name, mean in {"posterior": MEAN, "prior": 0.0}.items():
        bound = elbo(torch.tensor(mean).double(), widths.square())
        print(f"best bound with the {name}'s mean: {bound.max():.3f}")
        plt.plot(widths, bound, label=f"the {name}'s mean")
    plt.xlabel("standard deviation of q")
    plt.ylabel("ELBO")
    plt.ylim(-9, -1)
    plt.legend()
    plt.show()
