import torch
from torch.nn import functional as F

z = torch.tensor([-20.0, 0.0, 20.0], dtype=torch.float64, requires_grad=True)
weight = (1 - z.sigmoid()) ** 0.5
loss = weight * F.softplus(-z)
loss.sum().backward()
print(loss.isfinite().all().item(), z.grad.isfinite().tolist())
