# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch

# Llama 65B: 80 blocks, width 8192, 22016 in the MLP, 32000 tokens.
WIDTH, MLP, BLOCKS, TOKENS = 8192, 22016, 80, 32000
MATRICES = [(WIDTH, WIDTH)] * 4 + [(WIDTH, MLP)] * 3
NF4 = torch.tensor(
    [-1, -0.6962, -0.5251, -0.3949, -0.2844, -0.1848, -0.0911, 0]
    + [0.0796, 0.1609, 0.2461, 0.3379, 0.4407, 0.5626, 0.7230, 1]
)


def gigabytes(rank: int = 16) -> dict[str, float]:
    weights = BLOCKS * sum(a * b for a, b in MATRICES)
    trained = BLOCKS * rank * sum(a + b for a, b in MATRICES)
    return {
        "weights, 16 bits": weights * 2 / 1e9,
        "weights, 4 bits + 32 per 64": weights * (4 + 32 / 64) / 8e9,
        "double quantization": weights * (4 + 8 / 64 + 32 / 64 / 256) / 8e9,
        "embedding and head, 16 bits": 2 * TOKENS * WIDTH * 2 / 1e9,
        "adapters: 2 + 2 + 4 + 8 bytes": trained * 16 / 1e9,
    }


def shares(block: int, blocks: int = 4096) -> torch.Tensor:
    """Share of normal weights whose nearest level is each of the 16."""
    w = torch.randn(blocks, block)
    x = w / w.abs().amax(1, keepdim=True)
    code = torch.bucketize(x, (NF4[1:] + NF4[:-1]) / 2)
    return code.flatten().bincount(minlength=16) / w.numel()


if __name__ == "__main__":
    rows = gigabytes()
    for name, size in rows.items():
        print(f"{name:30} {size:6.1f} GB")
    print(f"{'sum of the last three':30} {sum(list(rows.values())[2:]):6.1f} GB")
    torch.manual_seed(0)
    share = shares(64)
    bits = -(share * share.log2()).sum()
    print(f"share of a level {share.min():.1%} to {share.max():.1%}")
    print(f"information in 4 bits {bits:.2f} bits")
    figure, axes = plt.subplots(figsize=(5, 2.8), layout="constrained")
    axes.bar(NF4.tolist(), (100 * share).tolist(), width=0.05)
    axes.axhline(100 / 16, linestyle="--", color="C1")
    axes.set(xlabel="level, in units of the block's largest", ylabel="share in %")
    plt.show()
