import torch

lr = 0.1
w = torch.ones(2, requires_grad=True)
w.square().sum().backward()
try:
    w -= lr * w.grad
except RuntimeError as error:
    print(f"w -= lr * w.grad\nRuntimeError:\n  {error}\n")

new = w - lr * w.grad
print(f"w = w - lr * w.grad  is_leaf={new.is_leaf}, grad_fn={new.grad_fn.name()}")

with torch.no_grad():
    w -= lr * w.grad
flags = f"is_leaf={w.is_leaf}, requires_grad={w.requires_grad}"
print(f"w -= ... in no_grad  {flags}, w[0]={w[0].item():.4f}")
