import torch

x = torch.arange(6).view(2, 3)
try:
    print(x.clone().view(6).tolist())
except RuntimeError:
    print("RuntimeError")
