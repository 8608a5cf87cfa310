# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch


def values(dtype: torch.dtype) -> torch.Tensor:
    """All positive finite values of an 8-bit format, ascending, as float32."""
    x = torch.arange(1, 128, dtype=torch.uint8).view(dtype).float()
    return x[x.isfinite()]


if __name__ == "__main__":
    formats = {
        "E5M2": values(torch.float8_e5m2),
        "E4M3": values(torch.float8_e4m3fn),
        "INT8": torch.arange(1.0, 128.0),
    }
    print("       smallest  largest  values from 64 to below 128")
    for row, (name, x) in enumerate(formats.items()):
        between = ((x >= 64) & (x < 128)).sum().item()
        print(f"{name:5}{x[0].item():11.2g}{x[-1].item():9.0f}{between:16}")
        plt.plot(x, [row] * len(x), "|", markersize=18, markeredgewidth=0.6)
    plt.xscale("log", base=2)
    plt.yticks(range(3), list(formats))
    plt.ylim(-0.6, 2.6)
    plt.xlabel("positive values")
    plt.show()
