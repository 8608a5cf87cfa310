import torch

w = torch.ones(2, requires_grad=True)
optimizer = torch.optim.Adam([w], lr=0.1, weight_decay=0.5)
w.grad = torch.tensor([100.0, 0.01])
optimizer.step()
print([round(value, 2) for value in w.tolist()])
