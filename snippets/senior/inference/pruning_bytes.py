# /// script
# requires-python = ">=3.11"
# dependencies = ["matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt

# Bytes per weight that is not zero, and per weight in any case.
FORMATS = {
    "float32, CSR, 64-bit columns": (4 + 8, 0, 4),
    "float32, CSR, 32-bit columns": (4 + 4, 0, 4),
    "float16, CSR, 64-bit columns": (2 + 8, 0, 2),
    "float32, a bit per weight": (4, 1 / 8, 4),
}


def share(zeros: float, nonzero: float, each: float, dense: float) -> float:
    """Sparse bytes as a share of the dense ones, without row pointers."""
    return ((1 - zeros) * nonzero + each) / dense


if __name__ == "__main__":
    figure, axis = plt.subplots(figsize=(5, 3.2), layout="constrained")
    for style, (name, sizes) in zip(("-", "--", ":", "-."), FORMATS.items()):
        nonzero, each, dense = sizes
        even = 1 - (dense - each) / nonzero
        at_90 = share(0.9, *sizes)
        print(f"{name:29} breaks even at {even:3.0%} zeros, at 90%: {at_90:.2f}")
        axis.plot([0, 100], [share(0, *sizes), share(1, *sizes)], style, label=name)
    axis.plot([50], [9 / 16], "o", label="float16, 2:4")
    axis.axhline(1, color="gray", linewidth=1)
    axis.set(xlabel="zeros in %", ylabel="bytes, dense = 1", ylim=(0, 5.2))
    axis.legend(fontsize=8)
    plt.show()
