# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch


def excess(steps: int, beta1: float = 0.9, beta2: float = 0.999) -> torch.Tensor:
    """How many times too long each of Adam's steps is without its correction.

    Args:
        steps: number of steps, at least 1.
        beta1: decay of the mean of gradients, in [0, 1).
        beta2: decay of the mean of squares, in [0, 1).

    Returns:
        float64, shape (steps,); entry 0 belongs to the first step.
    """
    t = torch.arange(1, steps + 1, dtype=torch.float64)
    return (1 - beta1**t) / (1 - beta2**t).sqrt()


if __name__ == "__main__":
    print("beta2     first step   longest   at step")
    for beta2, style in ((0.999, "-"), (0.99, "--"), (0.9, "-.")):
        factor = excess(1000, beta2=beta2)
        at = int(factor.argmax()) + 1
        longest = f"{factor.max():.2f}"
        where = at if factor.max() > 1 and at < 500 else "-"
        print(f"{beta2:<9} {factor[0]:10.2f} {longest:>9}   {where:>7}")
        plt.plot(range(1, 101), factor[:100], style, label=f"beta2 = {beta2}")
    plt.axhline(1, color="gray", linewidth=0.7)
    plt.yscale("log")
    plt.yticks([0.3, 1, 3, 6.6], ["0.3", "1", "3", "6.6"])
    plt.minorticks_off()
    plt.xlabel("step")
    plt.ylabel("step without correction / with it")
    plt.legend()
    plt.show()
