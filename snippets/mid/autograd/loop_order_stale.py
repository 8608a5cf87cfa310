import torch

w = torch.tensor(0.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.5)
for target in 1.0, 2.0, 3.0, 4.0:
    loss = (w - target) ** 2
    optimizer.step()  # too early: applies the gradient of the previous target
    optimizer.zero_grad()
    loss.backward()
    print(f"target {target}: step gave w {w.item()}, gradient {w.grad.item()}")
