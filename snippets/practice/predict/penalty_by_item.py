import torch

w = torch.tensor(2.0, requires_grad=True)
penalty = (3 * w).item()
loss = w**2 + penalty
loss.backward()
print(loss.item(), w.grad.item())
