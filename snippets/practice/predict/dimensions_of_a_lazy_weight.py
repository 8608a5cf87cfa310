import torch
from torch import nn

layer = nn.LazyLinear(3)
print(layer.weight.ndim)
layer(torch.zeros(1, 5))
print(layer.weight.ndim)
