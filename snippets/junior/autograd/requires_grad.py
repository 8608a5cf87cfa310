import torch
from torch import nn

w = nn.Parameter(torch.ones(1))
optimizer = torch.optim.SGD([w], lr=0.1)
(3 * w).sum().backward()
print("requires_grad=True, after backward():", w.grad)

w.requires_grad_(False)
optimizer.step()
print("flag off, gradient left: w =", round(w.item(), 2))
w.grad = None
optimizer.step()
print("flag off, gradient None: w =", round(w.item(), 2))
