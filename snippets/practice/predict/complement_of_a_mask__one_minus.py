import torch

tokens = torch.tensor([10, 20, 30])
mask = torch.tensor([1, 0, 1])
print(tokens[1 - mask].tolist())
