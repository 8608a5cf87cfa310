import torch

x = torch.tensor(3.0, requires_grad=True)
h = 2 * x
loss = h**2
torch.autograd.grad(loss, x, retain_graph=True)
h.retain_grad()
loss.backward()
print(h.grad.item(), x.grad.item())
