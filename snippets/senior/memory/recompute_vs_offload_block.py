# /// script
# requires-python = ">=3.11"
# dependencies = ["matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt

PEAK, PCIE, C2C = 989e12, 64e9, 450e9  # bfloat16 FLOP/s; bytes/s, one way


def flops_per_byte(width: int, tokens: int = 4096) -> float:
    """Forward FLOPs of a transformer block for each byte that it saves.

    Per token 24 h^2 + 4 s h FLOPs, and 34 h bytes without attention scores.
    """
    return (24 * width**2 + 4 * tokens * width) / (34 * width)


if __name__ == "__main__":
    print("width  FLOPs a byte   hidden behind the forward pass: PCIe    C2C")
    for width in (1024, 2048, 4096, 8192, 16384):
        ratio = flops_per_byte(width)
        hidden = [min(1, ratio * link / PEAK) for link in (PCIE, C2C)]
        print(f"{width:5}{ratio:14,.0f}{hidden[0]:38.0%}{hidden[1]:7.0%}")
    plt.figure(figsize=(7.2, 3.2))
    widths = [2**n for n in range(9, 16)]
    plt.loglog(
        widths, [flops_per_byte(w) for w in widths], "-o", label="whole block"
    )
    plt.loglog(widths, widths, "--s", label="one linear layer")
    for name, link, at in (("PCIe 5", PCIE, 512), ("NVLink-C2C", C2C, 5000)):
        plt.axhline(PEAK / link, color="gray", linestyle=":")
        plt.text(at, PEAK / link * 1.1, f"{name}: above, offload")
    plt.xlabel("width of the model")
    plt.ylabel("FLOPs per saved byte")
    plt.ylim(300, 60000)
    plt.legend(loc="lower right")
    plt.show()
