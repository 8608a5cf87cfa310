import torch

q = torch.tensor([-128, 3, 100], dtype=torch.int8)
print(q.int().abs().max().item())
