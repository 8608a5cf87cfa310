import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for call in (1, 2, 3):
    (3 * w).sum().backward()
    print(f"backward() number {call}: grad = {w.grad.tolist()}")

optimizer.zero_grad()
(3 * w).sum().backward()
print(f"after zero_grad():    grad = {w.grad.tolist()}")
