import torch

w = torch.tensor(3.0, requires_grad=True)
y = w * w
w.data.mul_(2)
try:
    y.backward()
    print(w.grad.item())
except RuntimeError as error:
    print(type(error).__name__)
