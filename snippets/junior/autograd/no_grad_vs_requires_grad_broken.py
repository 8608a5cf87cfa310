import torch
import torch.nn.functional as F
from torch import nn

for how in ("requires_grad=False", "no_grad()"):
    torch.manual_seed(0)
    adapter, head = nn.Linear(2, 2), nn.Linear(32, 1)
    body = nn.Sequential(nn.Linear(2, 32), nn.Tanh()).requires_grad_(False)
    x = 20 * torch.randn(256, 2)
    y = torch.sin(x.sum(dim=1, keepdim=True) / 20)
    before = adapter.weight.detach().clone()
    weights = [*adapter.parameters(), *head.parameters()]
    optimizer = torch.optim.Adam(weights, lr=0.02)
    losses = []
    for _ in range(300):
        with torch.set_grad_enabled(how != "no_grad()"):
            features = body(adapter(x))
        loss = F.mse_loss(head(features), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    moved = (adapter.weight - before).norm()
    print(f"{how:19} loss {losses[0]:.2f} to {losses[-1]:.2f},", end=" ")
    print(f"adapter moved {moved:.2f}")
