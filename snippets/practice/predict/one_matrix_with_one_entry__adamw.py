import torch

w = torch.nn.Parameter(torch.zeros(1, 1))
optimizer = torch.optim.AdamW([w], lr=1.0, weight_decay=0.0)
w.grad = torch.tensor([[5.0]])
optimizer.step()
print(round(w.item(), 1))
