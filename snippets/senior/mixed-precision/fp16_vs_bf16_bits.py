# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch


def gap(x: torch.Tensor) -> torch.Tensor:
    """Distance to the next larger number, in float64.

    x: positive and finite, float16 or bfloat16, any shape.
    """
    following = (x.view(torch.int16) + 1).view(x.dtype)
    return following.double() - x.double()


if __name__ == "__main__":
    powers = torch.arange(-133, 128)
    for dtype, style in ((torch.float16, "-"), (torch.bfloat16, "--")):
        x = torch.exp2(powers.double()).to(dtype)
        there = (x > 0) & x.isfinite()
        bits = 1 + torch.log2(x[there].double() / gap(x[there]))
        first, *_, last = powers[there].tolist()
        name = str(dtype)[6:]
        print(f"{name:8} 2^{first} to 2^{last}: up to {bits.max():.0f} bits")
        plt.step(powers[there], bits, style, where="post", label=name)
    plt.xlabel("size of the number, as a power of 2")
    plt.ylabel("significant bits")
    plt.ylim(0, 12)
    plt.legend()
    plt.show()
