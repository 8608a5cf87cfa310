# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch


def progress(
    noise: float, every: int, weights: int = 4000, steps: int = 300
) -> float:
    """Mean step of Adam along the true gradient, in learning rates.

    Each micro-batch has the gradient 1 plus ``noise`` times a normal number.

    Args:
        every: micro-batches per step; their mean is the gradient of the step.
    """
    g = torch.Generator().manual_seed(every)
    w = torch.zeros(weights, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.Adam([w], lr=1.0)
    for t in range(steps):
        if t == 100:
            start = w.mean().item()
        draw = torch.randn(weights, generator=g, dtype=torch.float64)
        w.grad = 1 + noise / every**0.5 * draw
        optimizer.step()
    return (start - w.mean().item()) / (steps - 100)


if __name__ == "__main__":
    counts = [4**i for i in range(6)]
    print("micro-batches per step ", *[f"{k:6}" for k in counts])
    for noise, style in ((0.3, "o-"), (3.0, "s--"), (30.0, "^:")):
        found = [progress(noise, k) for k in counts]
        print(f"noise / signal = {noise:4}  ", *[f"{p:6.2f}" for p in found])
        plt.plot(counts, found, style, label=f"{noise:g}")
    plt.xscale("log", base=4)
    plt.yscale("log")
    plt.xlabel("micro-batches accumulated per step")
    plt.ylabel("progress per step / learning rate")
    plt.legend(title="noise / signal of one micro-batch")
    plt.show()
