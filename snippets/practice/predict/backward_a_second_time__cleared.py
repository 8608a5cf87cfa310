import torch

x = torch.ones(3, requires_grad=True)
loss = (x + x).sum()
loss.backward()
x.grad = None
try:
    loss.backward()
except RuntimeError as error:
    print(type(error).__name__)
print(x.grad.tolist())
