# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F


def stream(blocks: int, scale: float, norm: bool = False, shared: bool = False):
    """Mean square of ``x = x + scale * relu(x) @ w`` before and after each block.

    Args:
        norm: the branch reads ``layer_norm(x)`` (pre-norm).
        shared: all blocks have the same weight; else each has its own.

    Returns:
        ``blocks + 1`` numbers, from float64, 128 features, He weights.
    """
    x = torch.randn(32, 128, dtype=torch.float64)
    found = [x.square().mean().item()]
    for i in range(blocks):
        if i == 0 or not shared:
            w = torch.randn(128, 128, dtype=torch.float64) * (2 / 128) ** 0.5
        h = F.layer_norm(x, (128,)) if norm else x
        x = x + scale * F.relu(h) @ w
        found.append(x.square().mean().item())
    return found


if __name__ == "__main__":
    torch.manual_seed(0)
    curves = {
        "no scale": (stream(64, 1), ":"),
        "pre-norm": (stream(64, 1, norm=True), "--"),
        "1/sqrt(N)": (stream(64, 1 / 8), "-"),
        "zero": (stream(64, 0), "-."),
    }
    for label, (curve, style) in curves.items():
        print(f"{label:10} {curve[0]:.0f} -> {curve[64]:.0e}")
        plt.plot(curve, style, label=label)
    plt.yscale("log")
    plt.xlabel("block, of N = 64")
    plt.ylabel("mean square of x")
    plt.legend(title="branch")
    plt.show()
