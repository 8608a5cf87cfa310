# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import math

import matplotlib.pyplot as plt

E, A, B, ALPHA, BETA = 1.8172, 482.01, 2085.43, 0.3478, 0.3658  # the refit


def loss(n: float, d: float) -> float:
    return E + A / n**ALPHA + B / d**BETA


def best(flops: float) -> float:
    both = ALPHA + BETA
    return (ALPHA * A / (BETA * B)) ** (1 / both) * (flops / 6) ** (BETA / both)


def tokens_for(target: float, n: float) -> float:
    """Training tokens with which n parameters reach the loss, inf if none do."""
    rest = target - E - A / n**ALPHA
    return (B / rest) ** (1 / BETA) if rest > 0 else math.inf


def total(target: float, n: float, served: float = 0.0) -> float:
    """FLOPs to train to the loss and then to serve that many tokens."""
    return 6 * n * tokens_for(target, n) + 2 * n * served


if __name__ == "__main__":
    n0 = best(1e24)
    target = loss(n0, 1e24 / 6 / n0)
    print("equal loss:  parameters     tokens   training FLOPs")
    for share in (0.25, 0.5, 1, 2, 4):
        n = share * n0
        d, cost = tokens_for(target, n), total(target, n) / 1e24
        print(f"{n / 1e9:22.0f}B{d / 1e12:10.1f}T{cost:13.2f}e24")

    print("\nserved tokens   cheapest size   tokens per parameter   saved")
    sizes = [n0 * 2 ** (k / 32) for k in range(-96, 33)]
    for served in (0, 1e12, 1e13, 1e14):
        n = min(sizes, key=lambda n: total(target, n, served))
        ratio = tokens_for(target, n) / n
        saved = 1 - total(target, n, served) / total(target, n0, served)
        row = f"{n / 1e9:15.0f}B{ratio:18.0f}{saved:17.0%}"
        print(f"{served / 1e12:5.0f} trillion {row}")

    figure, axes = plt.subplots(figsize=(5, 3), layout="constrained")
    for served, style in ((0, "-"), (1e13, "--"), (1e14, ":")):
        costs = [total(target, n, served) for n in sizes]
        low = min(costs)
        shown = [(n / 1e9, c / low) for n, c in zip(sizes, costs) if c < 4 * low]
        axes.plot(*zip(*shown), style, label=f"{served / 1e12:.0f}T tokens served")
    axes.set_xscale("log")
    axes.set_xticks([25, 50, 100, 200], ["25B", "50B", "100B", "200B"])
    axes.minorticks_off()
    axes.set(xlabel="parameters", ylabel="FLOPs / lowest", ylim=(0.9, 3))
    axes.legend()
    plt.show()
