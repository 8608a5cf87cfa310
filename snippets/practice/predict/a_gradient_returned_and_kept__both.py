import torch

x = torch.tensor(3.0, requires_grad=True)
h = 2 * x
h.retain_grad()
loss = h**2
loss.backward(retain_graph=True)
loss.backward()
print(h.grad.item(), x.grad.item())
