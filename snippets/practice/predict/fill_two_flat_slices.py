import torch

x = torch.zeros(2, 2, 2, dtype=torch.int64)
x[..., 0].flatten().fill_(1)
x[:, 0].flatten().fill_(2)
print(x.tolist())
