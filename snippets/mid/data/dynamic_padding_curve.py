# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch

torch.manual_seed(0)
kinds = {
    "long tail": (30 * torch.randn(6400).exp()).long().clamp(1, 512),
    "uniform, 1 to 512": torch.randint(1, 513, (6400,)),
}
buckets = [1, 2, 4, 8, 20, 40, 100, 200]  # batches of 32 that are sorted together
for (name, lengths), style in zip(kinds.items(), ("o-", "s--"), strict=True):
    shares = []
    for bucket in buckets:
        shuffled = lengths[torch.randperm(6400)]
        ordered = shuffled.reshape(-1, 32 * bucket).sort().values
        width = ordered.reshape(200, 32).amax(dim=1)
        shares.append(100 * (1 - lengths.sum() / (32 * width.sum())).item())
    plt.plot(buckets, shares, style, label=name)
    print(f"{name:18}", *(f"{share:3.0f}%" for share in shares))
plt.xscale("log", base=2)
plt.xticks(buckets, buckets)
plt.xlabel("batches of 32 sorted together")
plt.ylabel("padding, % of all places")
plt.ylim(0, 100)
plt.legend()
plt.show()
