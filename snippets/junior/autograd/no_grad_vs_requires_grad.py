import torch
from torch import nn

first, middle, last = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 1)
x = torch.randn(8, 4)

middle.requires_grad_(False)
last(middle(first(x))).sum().backward()
print("requires_grad=False, first has a gradient:", first.weight.grad is not None)

first.zero_grad()
with torch.no_grad():
    hidden = middle(first(x))
last(hidden).sum().backward()
print("no_grad(),           first has a gradient:", first.weight.grad is not None)
