import torch
from torch import nn

x = torch.randn(1, 8, 2, 2)
branch = nn.Conv2d(8, 8, 3, stride=2, padding=1)
skip = nn.Conv2d(8, 8, 1, stride=2)
try:
    print(tuple((branch(x) + skip(x)).shape))
except RuntimeError:
    print("RuntimeError")
