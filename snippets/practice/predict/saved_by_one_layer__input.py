import torch
from torch.autograd.graph import saved_tensors_hooks

layer = torch.nn.Linear(100, 100)
x = torch.randn(1, 100)
saved = []
with saved_tensors_hooks(lambda t: saved.append(t.numel()) or t, lambda t: t):
    layer(x)
print(sum(saved))
