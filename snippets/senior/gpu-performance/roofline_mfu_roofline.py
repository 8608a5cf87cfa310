# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib"]
# ///
from collections.abc import Callable

import matplotlib.pyplot as plt
import torch
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

PEAK = 989e12  # H100 SXM, dense bfloat16, FLOP/s
BANDWIDTH = 3.35e12  # byte/s
ADDITIONS = {torch.ops.aten.add: lambda *shapes, out_shape, **_: out_shape.numel()}


def intensity(
    function: Callable[..., torch.Tensor], *inputs: torch.Tensor
) -> float:
    """FLOPs per byte, if each input is read once and the output written once."""
    count = FlopCounterMode(display=False, custom_mapping=ADDITIONS)
    with sdpa_kernel(SDPBackend.MATH), count:
        output = function(*inputs)
    return count.get_total_flops() / sum(t.nbytes for t in (*inputs, output))


def attainable(flops_per_byte: float) -> float:
    """FLOP/s that the roofline allows."""
    return min(PEAK, flops_per_byte * BANDWIDTH)


def given(*shape: int) -> torch.Tensor:
    return torch.empty(shape, dtype=torch.bfloat16, device="meta")


OPERATIONS = {
    "x + y": (torch.add, given(4096, 4096), given(4096, 4096)),
    "attention to a cache": (
        F.scaled_dot_product_attention,
        given(32, 1, 128),
        given(32, 8192, 128),
        given(32, 8192, 128),
    ),
    "linear, 8 tokens": (F.linear, given(8, 4096), given(4096, 4096)),
    "linear, 64 tokens": (F.linear, given(64, 4096), given(4096, 4096)),
    "linear, 4096 tokens": (F.linear, given(4096, 4096), given(4096, 4096)),
}

if __name__ == "__main__":
    points = {name: intensity(*call) for name, call in OPERATIONS.items()}
    print(f"ridge: {PEAK / BANDWIDTH:.0f} FLOP/byte")
    for name, x in points.items():
        print(f"{name:21}{x:8.2f} FLOP/byte, at most", end=" ")
        print(f"{attainable(x) / PEAK:6.2%} of the peak")

    fig, ax = plt.subplots(figsize=(5, 3.2))
    line = [0.05, PEAK / BANDWIDTH, 5000]
    ax.loglog(line, [attainable(x) / 1e12 for x in line])
    for name, x in points.items():
        y = attainable(x) / 1e12
        ax.plot(x, y, "o", color="C1")
        shift = (7, -4) if x < PEAK / BANDWIDTH else (-95, 8)
        ax.annotate(name, (x, y), shift, textcoords="offset points")
    ax.set_ylim(top=6000)
    ax.set_xlabel("FLOPs per byte")
    ax.set_ylabel("TFLOP/s, at most")
    plt.show()
