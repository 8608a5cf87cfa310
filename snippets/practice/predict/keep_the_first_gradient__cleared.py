import torch

w = torch.ones(2, requires_grad=True)
(3 * w).sum().backward()
first = w.grad
w.grad = None
(5 * w).sum().backward()
print(first.tolist(), w.grad.tolist())
