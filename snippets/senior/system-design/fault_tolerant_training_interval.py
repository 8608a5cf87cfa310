# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import math
import random

import matplotlib.pyplot as plt

WRITE, DOWN = 1.0, 6.0  # minutes: a checkpoint; to notice and restart


def young(between: float, write: float = WRITE) -> float:
    """Young's interval between checkpoints, in the unit of its arguments."""
    return math.sqrt(2 * write * between)


def simulate(
    interval: float,
    between: float,
    write: float = WRITE,
    down: float = DOWN,
    failures: int = 4000,
    seed: int = 0,
) -> float:
    """The share of time that is lost, with random failures at a constant rate.

    Args:
        interval: minutes of work between two checkpoints.
        between: mean minutes between two failures while the job runs.
        down: minutes from a failure until training goes on.
    """
    generator = random.Random(seed)
    kept = total = 0.0
    for _ in range(failures):
        lived = generator.expovariate(1 / between)
        kept += lived // (interval + write) * interval  # what was saved
        total += lived + down
    return 1 - kept / total


if __name__ == "__main__":
    for gpus in (16384, 4096, 1024):
        between = 60 * 50_000 / gpus
        best = young(between)
        intervals = [best * 2 ** (k / 4) for k in range(-12, 13)]
        lost = [100 * simulate(i, between, seed=1) for i in intervals]
        plt.plot(intervals, lost, label=f"{gpus:,} GPUs")
        plt.plot([best], [100 * simulate(best, between, seed=1)], "ko")
    plt.xscale("log")
    plt.xticks([3, 10, 30, 100, 300], ["3", "10", "30", "100", "300"])
    plt.xlabel("minutes between checkpoints")
    plt.ylabel("time lost (%)")
    plt.ylim(0, 60)
    plt.legend()
    plt.show()

    between = 60 * 50_000 / 16384
    best = young(between)
    print("16,384 GPUs, a failure every 183 minutes, 6 minutes down")
    print("interval            lost, by formula   simulated")
    for factor in (0.25, 0.5, 1, 2, 4):
        interval = factor * best
        formula = WRITE / interval + interval / 2 / between + DOWN / between
        found = simulate(interval, between, failures=40_000)
        minutes = f"{factor:4} x = {interval:3.0f} min"
        print(f"{minutes}{formula:18.0%}{found:12.0%}")
