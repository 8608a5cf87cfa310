import torch
from torch import nn

x = torch.tensor([[3.0, -8.0], [500.0, 2.0]])
y = nn.LayerNorm(2)(x)
print(y.round().int().tolist())
