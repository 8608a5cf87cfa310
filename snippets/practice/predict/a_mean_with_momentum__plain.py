import torch
from torch import nn

norm = nn.BatchNorm1d(1, momentum=0.5)
x = torch.full((4, 1), 8.0, requires_grad=True)
y = norm(x)
y.sum().backward()
print(norm.running_mean.item())
