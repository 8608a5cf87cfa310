import torch

x = torch.arange(6).view(2, 3).T
try:
    print(x.contiguous().view(6).tolist())
except RuntimeError:
    print("RuntimeError")
