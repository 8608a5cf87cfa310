import torch

x = torch.tensor([0.1])
y = torch.tensor([0.1], dtype=torch.float64)
print((x == y).item(), x.item() == 0.1, (x.double() == 0.1).item())
