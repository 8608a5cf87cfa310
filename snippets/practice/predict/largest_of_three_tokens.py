import torch

h = torch.tensor([[-3.0, -1.0, -2.0, 2.0]])
keep = torch.tensor([[True, True, True, False]])
masked = h * keep
print(masked.amax(dim=1).tolist())
