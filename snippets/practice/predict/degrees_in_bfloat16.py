import torch

target = torch.tensor([0] * 300 + [1] * 5)
ones = torch.ones(305, dtype=torch.bfloat16)
degree = torch.zeros(2, dtype=torch.bfloat16)
degree = degree.index_add(0, target, ones)
print(degree.tolist())
