import torch

x = torch.tensor([2.0, 3.0], requires_grad=True)
y = torch.tensor([1.0, 4.0], requires_grad=True)
total = (x**2 + 3 * y + x * y).sum()
print("recorded:", total.grad_fn.name(), " x.grad:", x.grad)

total.backward()
print("x.grad:", x.grad.tolist(), " 2x + y:", (2 * x + y).tolist())
print("y.grad:", y.grad.tolist(), "  3 + x: ", (3 + x).tolist())
