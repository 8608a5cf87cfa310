import torch

dtype = torch.float32
w = torch.ones(1, dtype=dtype, requires_grad=True)
optimizer = torch.optim.Adam([w], lr=0.1)
for gradient in [1e21] + [1.0] * 100:
    w.grad = torch.tensor([gradient], dtype=dtype)
    optimizer.step()
print(round(w.item(), 1))
