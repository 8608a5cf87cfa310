import torch
import torch.nn.functional as F
from torch import nn

for end in ("linear", "softmax"):
    torch.manual_seed(0)
    y = torch.arange(1000) % 100
    x = torch.randn(100, 32)[y] + torch.randn(1000, 32) / 2
    layers = [nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 100)]
    if end == "softmax":
        layers.append(nn.Softmax(dim=1))
    model = nn.Sequential(*layers)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    losses = []
    for _ in range(120):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    accuracy = (model(x).argmax(dim=1) == y).float().mean()
    print(f"{end:7} loss {losses[0]:.2f} to {losses[-1]:.2f}", end=", ")
    print(f"accuracy {accuracy:.2f}")
