# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

TOTAL = 6_738_415_616  # Llama 7B: 32 blocks, width 4096, 11008 in the MLP
WIDTH, MLP, BLOCKS, RANK = 4096, 11008, 32, 16
trained = {
    "full": TOTAL,
    "LoRA on q, v": BLOCKS * 2 * RANK * (WIDTH + WIDTH),
    "LoRA on all": BLOCKS * RANK * (4 * (WIDTH + WIDTH) + 3 * (WIDTH + MLP)),
}
# Bytes per number: bfloat16 weights and gradients, float32 master and two moments.
rows = {}
for name, count in trained.items():
    base = 2 * TOTAL if name == "full" else 2 * (TOTAL + count)
    rows[name] = [base, 2 * count, 4 * count, 8 * count]


def flops(full: bool) -> int:
    """Forward and backward of one layer in the middle of a model, for 64 tokens."""
    with torch.device("meta"):
        x = torch.empty(64, WIDTH, requires_grad=True)
        layer = nn.Linear(WIDTH, WIDTH, bias=False).requires_grad_(full)
        down = nn.Linear(WIDTH, RANK, bias=False)
        up = nn.Linear(RANK, WIDTH, bias=False)
    with FlopCounterMode(display=False) as counter:
        y = layer(x) if full else layer(x) + up(down(x))
        y.sum().backward()
    return counter.get_total_flops()


if __name__ == "__main__":
    for name, parts in rows.items():
        share = trained[name] / TOTAL
        print(f"{name:13} {trained[name]:13,} trained ({share:7.2%}),", end=" ")
        print(f"{sum(parts) / 2**30:5.1f} GiB")
    print(f"FLOPs of a layer, LoRA / full: {flops(False) / flops(True):.2f}")
    fig, ax = plt.subplots(figsize=(5, 2.6))
    left = [0.0] * len(rows)
    labels = ("weights", "gradients", "float32 weights", "Adam's moments")
    hatches = ("", "//", "..", "xx")
    for i, label in enumerate(labels):
        sizes = [parts[i] / 2**30 for parts in rows.values()]
        ax.barh(
            list(rows),
            sizes,
            left=left,
            label=label,
            hatch=("", "//", "..", "xx")[i],
        )
        left = [a + b for a, b in zip(left, sizes, strict=True)]
    ax.invert_yaxis()
    ax.set_xlabel("GiB")
    ax.legend(loc="lower right", fontsize=8)
    plt.show()
