# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch


def int8(x, dim):
    """x on 255 levels, with one scale over the dimensions dim."""
    scale = x.abs().amax(dim, keepdim=True) / 127
    return (x / scale).round() * scale


def smooth(x, w, alpha=0.5):
    """Divide channels of x (rows, in), multiply those of w (out, in)."""
    s = x.abs().amax(0) ** alpha / w.abs().amax(0) ** (1 - alpha)
    return x / s, w * s


def hadamard(n):
    """An orthogonal matrix of entries with equal size; n is a power of two."""
    h = torch.ones(1, 1).double()
    while len(h) < n:
        h = torch.cat([torch.cat([h, h], 1), torch.cat([h, -h], 1)])
    return h / n**0.5


if __name__ == "__main__":
    torch.manual_seed(0)
    x, w = torch.randn(1024, 64).double(), torch.randn(48, 64).double()
    x[:, 7] *= 60  # one channel, in all tokens
    y, h = x @ w.T, hadamard(64)
    smoothed, rotated = smooth(x, w), (x @ h, w @ h)
    plans = {
        "one scale": (x, w, (0, 1)),
        "per token": (x, w, 1),
        "smoothed, per token": (*smoothed, 1),
        "rotated, per token": (*rotated, 1),
    }
    for name, (a, b, dim) in plans.items():
        assert torch.allclose(a @ b.T, y)  # nothing changed before rounding
        q = int8(a, dim)
        error = (q @ int8(b, 1).T - y).norm() / y.norm()
        print(f"{name:20} zeros {(q == 0).double().mean():3.0%}  error {error:.1%}")

    figure, axes = plt.subplots(1, 3, figsize=(5.4, 2.4), sharey=True)
    figure.set_layout_engine("constrained")
    for axis, (name, a) in zip(
        axes, (("inputs", x), ("smoothed", smoothed[0]), ("rotated", rotated[0]))
    ):
        axis.plot(a.abs().amax(0), drawstyle="steps-mid")
        axis.set(title=name, xlabel="channel", yscale="log", ylim=(1, 300))
    axes[0].set_ylabel("largest value")
    plt.show()
