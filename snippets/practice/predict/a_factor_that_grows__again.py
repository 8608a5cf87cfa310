import torch
from torch.utils.checkpoint import checkpoint

factor = torch.tensor(3.0)
x = torch.tensor(2.0, requires_grad=True)
y = checkpoint(lambda x: factor * x * x, x, use_reentrant=False)
factor = torch.tensor(4.0)
y.backward()
print(y.item(), x.grad.item())
