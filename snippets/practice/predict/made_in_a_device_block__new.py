import torch

x = torch.ones(2)
with torch.device("meta"):
    y = torch.zeros(2)
    z = torch.zeros(2)
print(x.device, y.device, z.device)
