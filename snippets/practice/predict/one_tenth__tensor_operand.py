import torch

x = torch.tensor([0.1])
print((x == torch.tensor([0.1], dtype=torch.float64)).item(), x.item() == 0.1, (x.double() == 0.1).item())
