import torch

torch.manual_seed(0)
lengths = (30 * torch.randn(6400).exp()).long().clamp(1, 512)  # a long tail
shuffled = lengths[torch.randperm(6400)]
bucketed = shuffled.reshape(4, 1600).sort().values  # 50 batches are sorted at once
widths = {
    "longest of all": lengths.max().expand(200),
    "longest of the batch": shuffled.reshape(200, 32).amax(dim=1),
    "the same, in buckets": bucketed.reshape(200, 32).amax(dim=1),
}
for name, width in widths.items():
    tokens = 32 * width.sum() / lengths.sum()
    scores = 32 * width.square().sum() / lengths.square().sum()
    print(f"{name:21} tokens x {tokens:4.1f}   attention scores x {scores:4.1f}")
