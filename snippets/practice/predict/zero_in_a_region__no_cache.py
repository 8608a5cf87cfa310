import torch
from torch import nn

layer = nn.Linear(2, 1, bias=False)
nn.init.ones_(layer.weight)
x = torch.ones(1, 2)
with torch.autocast("cpu", dtype=torch.bfloat16, cache_enabled=False):
    before = layer(x).item()
    nn.init.zeros_(layer.weight)
    print(before, layer(x).item())
