# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch


def colliding_pairs(windows: torch.Tensor, base: int, mod: int) -> int:
    """How many pairs of rows have one hash.

    Args:
        windows: int64, shape (n, k), distinct rows, entries in 0 .. mod - 1.
        base: 1 .. mod - 1.
        mod: at most 2**31 - 1.
    """
    h = torch.zeros_like(windows[:, 0])
    for column in windows.T:
        h = (h * base + column) % mod
    counts = h.unique(return_counts=True)[1]
    return (counts * (counts - 1) // 2).sum().item()


if __name__ == "__main__":
    generator = torch.Generator().manual_seed(0)
    windows = torch.randint(50_000, (2**17, 8), generator=generator)
    figure, axes = plt.subplots(figsize=(5, 3.2))
    for name, mod, start, style in (
        ("mod about $2^{16}$", 65_521, 10, "C0o"),
        ("mod about $2^{24}$", 16_777_213, 13, "C1s"),
    ):
        sizes = [2**e for e in range(start, 18)]
        pairs = [colliding_pairs(windows[:n], 31_337, mod) for n in sizes]
        law = [n * (n - 1) / 2 / mod for n in sizes]
        print(f"mod {mod}", *pairs[-3:], "expected", *[round(p) for p in law[-3:]])
        axes.plot(sizes, pairs, style, label=name)
        axes.plot(sizes, law, style[:2] + "--")
    axes.set(xscale="log", yscale="log", xlabel="distinct windows n")
    axes.set(ylabel="pairs with one hash")
    axes.legend()
    plt.show()
