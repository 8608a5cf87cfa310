# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
from math import exp, sqrt

import matplotlib.pyplot as plt

GPU = 54 * 24 * 60 / 419 * 16_384  # minutes between two failures of one GPU


def goodput(interval, write, restart, mtbf) -> float:
    kept = interval / mtbf / (exp((interval + write) / mtbf) - 1)
    return kept * exp(-restart / mtbf)


def best(write: float, mtbf: float) -> float:
    """The interval with the highest goodput, by bisection of the derivative."""
    low, high = 0.0, mtbf
    for _ in range(60):
        middle = (low + high) / 2
        rising = 1 - middle / mtbf > exp(-(middle + write) / mtbf)
        low, high = (middle, high) if rising else (low, middle)
    return low


if __name__ == "__main__":
    print("   GPUs   Young   best   goodput: Young   best   sum of the losses says")
    for gpus in (1_024, 16_384, 131_072, 524_288):
        mtbf = GPU / gpus
        young, exact = sqrt(2 * 2 * mtbf), best(2, mtbf)
        both = [goodput(t, 2, 10, mtbf) for t in (young, exact)]
        added = 1 - 2 / young - young / 2 / mtbf - 10 / mtbf
        row = f"{gpus:7}{young:8.1f}{exact:7.1f}{both[0]:17.1%}{both[1]:7.1%}"
        print(f"{row}{added:25.1%}")

    figure, axes = plt.subplots(figsize=(5, 3), layout="constrained")
    sizes = [1024 * 2 ** (k / 4) for k in range(33)]
    for name, write, restart, style in (
        ("write 5 s, restart 2 min", 1 / 12, 2, "-"),
        ("write 2 min, restart 2 min", 2, 2, "--"),
        ("write 5 s, restart 10 min", 1 / 12, 10, "-."),
        ("write 2 min, restart 10 min", 2, 10, ":"),
    ):
        curve = []
        for gpus in sizes:
            interval = best(write, GPU / gpus)
            curve.append(100 * goodput(interval, write, restart, GPU / gpus))
        axes.plot(sizes, curve, style, label=name)
    axes.set_xscale("log")
    axes.set_xticks([1024, 16_384, 131_072], ["1,024", "16,384", "131,072"])
    axes.minorticks_off()
    axes.set(xlabel="GPUs", ylabel="goodput (%)", ylim=(0, 100))
    axes.legend(loc="lower left")
    plt.show()
