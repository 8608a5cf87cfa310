import torch

a = torch.tensor([True, True, False])
b = torch.tensor([True, False, False])
print((a.int() + b).tolist())
print(sum([a, b]).tolist())
