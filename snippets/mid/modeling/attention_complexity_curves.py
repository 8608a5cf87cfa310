# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode


def layer_flops(tokens: int, width: int) -> tuple[int, int]:
    """FLOPs of one sequence in an encoder layer with a hidden width of 4 * width.

    Returns:
        Those of the products of size tokens * tokens, and those of the rest.
    """
    with torch.device("meta"):
        layer = nn.TransformerEncoderLayer(width, 1, 4 * width, batch_first=True)
        x, q = torch.randn(1, tokens, width), torch.randn(tokens, width)
    with FlopCounterMode(display=False) as whole:
        layer(x)
    with FlopCounterMode(display=False) as products:
        (q @ q.mT) @ q
    quadratic = products.get_total_flops()
    return quadratic, whole.get_total_flops() - quadratic


if __name__ == "__main__":
    width, lengths = 512, [2**n for n in range(8, 16)]
    counts = [layer_flops(tokens, width) for tokens in lengths]
    figure, axes = plt.subplots(figsize=(5.2, 3.8), layout="constrained")
    axes.loglog(lengths, [q / 1e9 for q, _ in counts], "o-", label="T × T products")
    axes.loglog(lengths, [r / 1e9 for _, r in counts], "s--", label="linear layers")
    axes.axvline(6 * width, linestyle=":", color="gray", label="T = 6 D")
    axes.set_xlabel("sequence length T (tokens)")
    axes.set_ylabel("work of one layer (GFLOP)")
    axes.legend()
    plt.show()
    for tokens, (quadratic, rest) in zip(lengths, counts, strict=True):
        share = quadratic / (quadratic + rest)
        print(f"{tokens:6} tokens: quadratic part {share:.0%}")
