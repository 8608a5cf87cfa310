import torch
from torch.optim import Adam, AdamW

for optimizer_class in (Adam, AdamW):
    w = torch.nn.Parameter(torch.ones(2))
    optimizer = optimizer_class([w], lr=0.001, weight_decay=0.1)
    for step in range(1000):
        w.grad = (-1) ** step * torch.tensor([10.0, 0.1])  # no net direction
        optimizer.step()
    large, small = (f"{value:.2f}" for value in w.tolist())
    print(f"{optimizer_class.__name__:6} gradients of 10: {large}, of 0.1: {small}")
