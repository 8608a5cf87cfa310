import torch

w = torch.tensor(1.0, requires_grad=True)
y = w * 2
with torch.no_grad():
    y.mul_(10)
(y**2).backward()
print(w.grad.item())
