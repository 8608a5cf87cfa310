# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import math

import matplotlib.pyplot as plt
import torch
from torch.optim.lr_scheduler import LambdaLR

WARMUP, TOTAL, BASE, MIN_LR = 50, 1000, 3e-4, 1e-6


def broken(step: int) -> float:
    """Factor on the base rate, as it is often written. It has three mistakes."""
    if step < WARMUP:
        return step / WARMUP
    progress = (step - WARMUP) / (TOTAL - WARMUP)
    return max(MIN_LR, (1 + math.cos(math.pi * progress)) / 2)


def mended(step: int) -> float:
    """Factor on the base rate: never zero, an absolute minimum, and it ends."""
    if step < WARMUP:
        return (step + 1) / (WARMUP + 1)
    progress = min(1.0, (step - WARMUP) / (TOTAL - 1 - WARMUP))
    low = MIN_LR / BASE
    return low + (1 - low) * (1 + math.cos(math.pi * progress)) / 2


if __name__ == "__main__":
    for factor, style in ((broken, "--"), (mended, "-")):
        optimizer = torch.optim.AdamW([torch.zeros(1, requires_grad=True)], lr=BASE)
        scheduler = LambdaLR(optimizer, factor)
        rates = []
        for _ in range(1201):
            rates.append(scheduler.get_last_lr()[0])
            optimizer.step()
            scheduler.step()
        print(factor.__name__, end=":")
        for step in (0, 50, 1000, 1200):
            print(f"  {step}: {rates[step]:.2e}", end="")
        print()
        steps = range(10, 1201, 10)
        plt.plot(steps, [rates[s] for s in steps], style, label=factor.__name__)
    plt.yscale("log")
    plt.xlabel("step; the run was planned for 1000")
    plt.ylabel("learning rate")
    plt.legend()
    plt.show()
