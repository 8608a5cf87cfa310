import torch
from torch import nn

layer, x = nn.Linear(1, 1, bias=False), torch.ones(1, 1)
nn.init.constant_(layer.weight, 1.0)
served = torch.export.export(layer, (x,)).module()
nn.init.constant_(layer.weight, 2.0)
layer.weight = nn.Parameter(torch.tensor([[3.0]]))
print(served(x).item())
