import torch

ones = torch.ones(100_000, dtype=torch.float16)
total = ones.sum()
mean = ones.mean()
print(total.item(), mean.item())
