import torch
from torch.utils.checkpoint import checkpoint

factor = 3.0
x = torch.tensor(2.0, requires_grad=True)
y = checkpoint(lambda x: factor * x * x, x, use_reentrant=False)
factor = 3.0
y.backward()
print(y.item(), x.grad.item())
