import torch

w = torch.ones(4, requires_grad=True)
y = w * 2
v = y[:2]
y.mul_(3)
print("after y.mul_(3):   v is", v.tolist(), "from", v.grad_fn.name())
v.mul_(5)
print("after v.mul_(5):   y is", y.tolist(), "from", y.grad_fn.name())
y.sum().backward()
print("gradient of w:    ", w.grad.tolist())

buffer = torch.zeros(4)
buffer[2:] = w[:2] * 7
print("a buffer, written: requires_grad", buffer.requires_grad)
