import torch

x = torch.ones(2)
with torch.device("meta"):
    y = torch.zeros_like(x)
    z = torch.zeros(2)
print(x.device, y.device, z.device)
