import torch

bias = torch.zeros(2, requires_grad=True)
weight = torch.zeros(2, requires_grad=True)
loss = (weight.exp() + bias).sum()
loss.backward()
try:
    loss.backward()
except RuntimeError:
    print("the second backward raised")
print("bias.grad  ", bias.grad.tolist())
print("weight.grad", weight.grad.tolist())
