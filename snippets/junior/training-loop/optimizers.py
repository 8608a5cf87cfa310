import torch
from torch.optim import SGD, AdamW

for optimizer_class in (SGD, AdamW):
    w = torch.nn.Parameter(torch.zeros(2))
    optimizer = optimizer_class([w], lr=0.1)
    w.grad = torch.tensor([2.0, 0.02])
    optimizer.step()
    moved = [f"{-value:.3f}" for value in w.tolist()]
    print(
        f"{optimizer_class.__name__:6} gradients 2, 0.02: the weights fall by",
        *moved,
    )
