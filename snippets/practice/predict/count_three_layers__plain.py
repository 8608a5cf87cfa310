import torch
from torch import nn

block, calls = nn.Sequential(nn.Linear(4, 4), nn.GELU(), nn.Linear(4, 4)), []
for layer in block:
    layer.register_forward_hook(lambda layer, *_: calls.append(layer))
y = block(torch.ones(1, 4))
y.sum().backward()
print([calls.count(layer) for layer in block])
