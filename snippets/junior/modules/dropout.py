import torch
from torch import nn

torch.manual_seed(0)
layer = nn.Dropout(p=0.8)
x = torch.ones(10)
print("train:", [round(value, 2) for value in layer(x).tolist()])
print("again:", [round(value, 2) for value in layer(x).tolist()])
print("mean of a million:", round(layer(torch.ones(1_000_000)).mean().item(), 2))
layer.eval()
print("eval: ", layer(x).tolist())
