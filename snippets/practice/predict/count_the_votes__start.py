import torch

a = torch.tensor([True, True, False])
b = torch.tensor([True, False, False])
print((a + b).tolist())
print(sum([b], a).tolist())
