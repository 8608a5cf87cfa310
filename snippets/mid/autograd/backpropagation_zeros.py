import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(16, 3)
y = x.square().sum(1, keepdim=True)
for name, value in ("all zero", 0.0), ("all 0.5", 0.5):
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    for parameter in model.parameters():
        nn.init.constant_(parameter, value)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(100):
        optimizer.zero_grad()
        (model(x) - y).square().mean().backward()
        optimizer.step()
    rows = model[0].weight.detach()
    moved = bool((rows != value).any())
    print(f"{name:8}  first layer moved: {moved!s:5}", end="  ")
    print("hidden units still equal:", bool(torch.allclose(rows, rows[:1])))
