import torch

x = torch.zeros(1, 3).expand(2, 3)
x[0] = 5
print(x.tolist())
