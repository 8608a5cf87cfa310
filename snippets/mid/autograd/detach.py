import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
y = 3 * w
d = y.detach()
print("d:", d.tolist(), "requires_grad:", d.requires_grad, "grad_fn:", d.grad_fn)

print("gradient of y * y:", torch.autograd.grad((y * y).sum(), w)[0].tolist())
y = 3 * w
d = y.detach()
print("gradient of y * d:", torch.autograd.grad((y * d).sum(), w)[0].tolist())
d.zero_()
print("d is set to zero, y is now:", y.tolist())
