# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
from math import comb, sqrt

import matplotlib.pyplot as plt


def moments(values: list[float], n: int, p: float) -> tuple[float, float]:
    """Exact mean and standard deviation of values[c], c binomial with n and p."""
    chance = [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    mean = sum(map(float.__mul__, chance, values))
    return mean, sqrt(sum(q * (v - mean) ** 2 for q, v in zip(chance, values)))


if __name__ == "__main__":
    p, k = 0.05, 10
    sizes = [10, 15, 20, 30, 50, 70, 100, 150, 200]
    fair, plug = [], []
    for n in sizes:
        values = [1 - comb(n - c, k) / comb(n, k) for c in range(n + 1)]
        fair.append(moments(values, n, p))
        plug.append(moments([1 - (1 - c / n) ** k for c in range(n + 1)], n, p)[0])
    for n, (mean, spread) in zip(sizes, fair):
        if n in (10, 20, 200):
            print(f"n {n:3}: unbiased {mean:.3f} with deviation {spread:.3f}")
    low, high = [m - s for m, s in fair], [m + s for m, s in fair]
    plt.figure(figsize=(5.2, 3.1))
    plt.fill_between(sizes, low, high, alpha=0.2, label="unbiased: one deviation")
    plt.plot(sizes, [m for m, _ in fair], label="unbiased: mean")
    plt.plot(sizes, plug, "--", label="plug-in: mean")
    plt.xscale("log")
    plt.xticks([10, 20, 50, 100, 200], ["10", "20", "50", "100", "200"])
    plt.minorticks_off()
    plt.xlabel("samples n of one problem")
    plt.ylabel("estimate of pass@10")
    plt.legend()
    plt.show()
