import torch

x = torch.tensor([1, 2])
x[0], x[1] = x[1].item(), x[0].item()
print(x.tolist())
