import torch

torch.manual_seed(0)
values = torch.arange(100.0)
means = []
for _ in range(1000):
    rows = torch.randperm(100)
    means.append(values[rows].mean())
spread = torch.stack(means).std()
print(round(spread.item()))
