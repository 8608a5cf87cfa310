import torch
from torch import nn

x = torch.tensor([[1.0, 2.0], [3.0, 30.0], [9.0, 5.0]])
norm = nn.BatchNorm1d(2)
print(norm(x).round().int().tolist())
