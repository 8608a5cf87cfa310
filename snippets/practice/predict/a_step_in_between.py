import torch

w, v = (torch.tensor(n, requires_grad=True) for n in (2.0, 3.0))
optimizer = torch.optim.SGD([w, v], lr=1.0, fused=True)
hidden = w * 1
loss = v * hidden
loss.backward(retain_graph=True)
optimizer.step()
try:
    print(*(g.item() for g in torch.autograd.grad(loss, [w, v])))
except RuntimeError as error:
    print(type(error).__name__)
