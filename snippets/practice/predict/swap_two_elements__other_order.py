import torch

x = torch.tensor([1, 2])
x[1], x[0] = x[0], x[1]
print(x.tolist())
