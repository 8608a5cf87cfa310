import torch

a = torch.tensor([200], dtype=torch.uint8)
b = torch.tensor([100], dtype=torch.uint8)
print((a + b).item(), torch.stack([a, b]).sum(dtype=torch.uint8).item())
