import torch

group = torch.tensor([0, 0, 1])
score = torch.tensor([4.0, 8.0, 6.0])
means = torch.zeros(2).scatter_reduce(
    0, group, score, reduce="mean", include_self=False
)
print(means.tolist())
