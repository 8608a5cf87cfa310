import torch

x = torch.zeros(4)
mask = torch.tensor([True, False, True, True])
x[mask][1:] += 1
x[mask][1:] += 1
print(x.tolist())
