import torch
from torch.utils.checkpoint import checkpoint

factor = 4.0
x = torch.tensor(2.0, requires_grad=True)
y = checkpoint(lambda x: factor * x * x, x, use_reentrant=False)
factor = 4.0
y.backward()
print(12.0, x.grad.item())
