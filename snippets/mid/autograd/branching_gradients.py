import torch

x = torch.tensor(3.0, requires_grad=True)
h = 2 * x  # the split point
square, line, constant = h**2, 5 * h, 100 * h.detach()

for name, branch in ("square", square), ("line", line):
    (part,) = torch.autograd.grad(branch, h, retain_graph=True)
    print(f"{name} alone hands h:", part.item())
h.retain_grad()
(square + line + constant).backward()
print("h.grad:", h.grad.item())
print("x.grad:", x.grad.item())
