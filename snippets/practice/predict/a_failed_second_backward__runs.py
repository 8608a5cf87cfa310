import torch

a = torch.zeros(2, requires_grad=True)
b = torch.zeros(2, requires_grad=True)
loss = (a.exp() + b).sum()
loss.backward(retain_graph=True)
try:
    loss.backward()
except RuntimeError as error:
    print(type(error).__name__)
print(a.grad.tolist(), b.grad.tolist())
