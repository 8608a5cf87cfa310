# /// script
# requires-python = ">=3.11"
# dependencies = ["matplotlib>=3.8"]
# ///
import math

import matplotlib.pyplot as plt

WARMUP, TOTAL, BASE, MIN_LR = 50, 1000, 3e-4, 1e-6


def broken(step: int) -> float:
    """Factor on the base rate, as it is often written. It has three mistakes."""
    if step < WARMUP:
        return step / WARMUP
    progress = (step - WARMUP) / (TOTAL - WARMUP)
    return max(MIN_LR, (1 + math.cos(math.pi * progress)) / 2)


def fixed(step: int) -> float:
    """Factor on the base rate: never zero, an absolute minimum, and it ends."""
    if step < WARMUP:
        return (step + 1) / (WARMUP + 1)
    progress = min(1.0, (step - WARMUP) / (TOTAL - 1 - WARMUP))
    low = MIN_LR / BASE
    return low + (1 - low) * (1 + math.cos(math.pi * progress)) / 2


if __name__ == "__main__":
    for factor, style in ((broken, "--"), (fixed, "-")):
        rates = [BASE * factor(step) for step in range(1201)]
        print(f"{factor.__name__:6} lowest after the warmup: {min(rates[50:]):.0e}")
        steps = range(10, 1201, 10)
        plt.plot(steps, [rates[s] for s in steps], style, label=factor.__name__)
    plt.yscale("log")
    plt.xlabel("step; the run was planned for 1000")
    plt.ylabel("learning rate")
    plt.legend()
    plt.show()
