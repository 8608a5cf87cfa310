import copy

import torch
from torch.nn import Linear, Sequential, Tanh

torch.manual_seed(3)
x = 2 * torch.rand(520, 1) - 1
y = torch.sin(3 * x) + torch.randn(520, 1) / 2
model = Sequential(Linear(1, 64), Tanh(), Linear(64, 64), Tanh(), Linear(64, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
best = float("inf")
for _ in range(301):
    squares = (model(x) - y).square()
    training, held_out = squares[:20].mean(), squares[20:].mean()
    if held_out < best:
        best, kept = held_out.item(), model.state_dict()
        copied = copy.deepcopy(kept)
    optimizer.zero_grad()
    training.backward()
    optimizer.step()
print(f"best held-out loss     {best:.2f}")
for name, state in (("state_dict()", kept), ("deepcopy of it", copied)):
    model.load_state_dict(state)
    loss = (model(x[20:]) - y[20:]).square().mean()
    print(f"restored, {name:14} {loss:.2f}")
