import torch

w = torch.zeros(2, requires_grad=True)
optimizer = torch.optim.Adam([w], lr=0.01)
w.grad = torch.tensor([50.0, 5.0])
optimizer.step()
print([round(value, 2) for value in w.tolist()])
