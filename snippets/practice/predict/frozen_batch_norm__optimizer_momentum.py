import torch
from torch import nn

layer = nn.BatchNorm1d(1, momentum=0.9).requires_grad_(False)
with torch.no_grad():
    layer(torch.full((4, 1), 10.0))
print(round(layer.running_mean.item(), 4))
