# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
from statistics import NormalDist

import matplotlib.pyplot as plt
import torch


def psi(
    reference: torch.Tensor, windows: torch.Tensor, bins: int = 10
) -> torch.Tensor:
    """Population stability index of a feature, in quantile bins of the reference.

    Args:
        reference: values without ties, such as a validation set, shape (m,).
        windows: recent values, shape (..., n).

    Returns:
        One value per window, shape (...).
    """
    places = torch.arange(1, bins) * len(reference) // bins
    edges = reference.sort().values[places]

    def shares(x: torch.Tensor) -> torch.Tensor:
        found = torch.bucketize(x, edges, right=True)
        counts = torch.stack([(found == b).sum(-1) for b in range(bins)], dim=-1)
        return (counts + 0.5) / (x.shape[-1] + bins / 2)  # no bin is empty

    p, q = shares(reference), shares(windows)
    return ((p - q) * (p / q).log()).sum(-1)


def threshold(
    reference_rows: int, rows: int, false_alarms: float, bins: int = 10
) -> float:
    """PSI that this share of windows exceeds although nothing changed.

    By the chi-square distribution, in the approximation of Wilson and Hilferty.
    """
    free = bins - 1
    z, spread = NormalDist().inv_cdf(1 - false_alarms), 2 / (9 * free)
    chi_square = free * (1 - spread + z * spread**0.5) ** 3
    return chi_square * (1 / rows + 1 / reference_rows)


if __name__ == "__main__":
    generator = torch.Generator().manual_seed(0)
    reference = torch.rand(10_000, generator=generator)
    sizes, results = (50, 100, 200, 500, 1000, 2000), {}
    print("rows   nothing changed: PSI above 0.1   threshold for 1% false alarms")
    for rows in sizes:
        windows = torch.rand(500, rows, generator=generator)
        values = results[rows] = psi(reference, windows).sort().values.tolist()
        above = sum(value > 0.1 for value in values) / 500
        limit = threshold(len(reference), rows, 0.01)
        print(f"{rows:4}{above:26.0%}{limit:30.3f}")

    for place, name in ((0.99, "99% of windows below"), (0.5, "median window")):
        curve = [results[rows][int(place * 500)] for rows in sizes]
        plt.plot(sizes, curve, marker="o" if place == 0.5 else "s", label=name)
    plt.axhline(0.1, linewidth=0.8, color="gray")
    plt.xscale("log")
    plt.xticks(sizes, [str(rows) for rows in sizes])
    plt.minorticks_off()
    plt.yscale("log")
    plt.xlabel("rows in the window")
    plt.ylabel("PSI, nothing changed")
    plt.legend()
    plt.show()
