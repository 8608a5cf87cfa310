import torch

ones = torch.ones(100_000, dtype=torch.float16)
total = ones.sum()
mean = total / len(ones)
print(total.item(), mean.item())
