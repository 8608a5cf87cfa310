# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch


def shrink(x: torch.Tensor) -> torch.Tensor:
    """Halve x, a positive number of shape (), until it is at most 1."""
    while x > 1:
        x = x / 2
    return x


def value_and_slope(at: float) -> tuple[float, float]:
    """shrink(at) and its derivative by autograd."""
    x = torch.tensor(at, requires_grad=True)
    y = shrink(x)
    return y.item(), torch.autograd.grad(y, x)[0].item()


if __name__ == "__main__":
    pieces = ([0.25, 1.0], [1.001, 2.0], [2.001, 4.0], [4.001, 8.0])
    figure, axes = plt.subplots(figsize=(5, 3))
    for ends in pieces:
        (left, slope), (right, same) = map(value_and_slope, ends)
        print(f"to {ends[1]:.0f}: {left:.2f} to {right:.2f}, slope {slope}")
        first = ends is pieces[0]
        axes.plot(ends, [left, right], "C0-", label="shrink(x)" if first else None)
        axes.plot(
            ends,
            [slope, same],
            "C1--",
            label="gradient by autograd" if first else None,
        )
    axes.set(xlabel="x", ylabel="value, gradient", ylim=(0, 1.4))
    axes.legend(loc="upper right", ncols=2)
    plt.show()
