import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(100, 8)
y = torch.sin(3 * x)

for name in ("none", "last", "both"):
    first, last = nn.Linear(8, 64), nn.Linear(64, 8)
    for layer in {"none": [], "last": [last], "both": [first, last]}[name]:
        nn.init.zeros_(layer.weight)
    optimizer = torch.optim.SGD([first.weight, last.weight], lr=0.3)
    moved = {}
    for step in range(1, 201):
        before = {"first": first.weight.clone(), "last": last.weight.clone()}
        branch = torch.relu(x @ first.weight.T) @ last.weight.T
        optimizer.zero_grad()
        (x + branch - y).square().mean().backward()
        optimizer.step()
        now = {"first": first.weight, "last": last.weight}
        moved[step] = [k for k in now if not torch.equal(before[k], now[k])]
    print(f"zero at the start: {name}")
    print("    moved in step", {step: moved[step] for step in (1, 2, 200)})
