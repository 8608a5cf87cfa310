import torch

torch.manual_seed(0)
lengths = (30 * torch.randn(6400).exp()).long().clamp(1, 512)
# The loss of each token falls with its position: the model has more context.
losses = [1 + 4 / torch.arange(1, length + 1) for length in lengths.tolist()]
orders = {"shuffled": torch.randperm(6400), "by length": lengths.argsort()}
for name, order in orders.items():
    batches = [torch.cat([losses[i] for i in part]) for part in order.split(32)]
    means = sum(batch.mean() for batch in batches) / len(batches)
    per_token = sum(b.sum() for b in batches) / sum(b.numel() for b in batches)
    print(f"{name:9}  mean of means {means:.2f}   per token {per_token:.2f}")
