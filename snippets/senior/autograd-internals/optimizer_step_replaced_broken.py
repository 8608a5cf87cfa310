import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1000))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
model[1] = nn.Linear(4, 2)  # a new head, after the optimizer was built
before = {name: p.clone() for name, p in model.named_parameters()}

for _ in range(100):
    optimizer.zero_grad()
    loss = model(torch.ones(8, 4)).square().mean()
    loss.backward()
    optimizer.step()

stepped = {p for group in optimizer.param_groups for p in group["params"]}
for name, p in model.named_parameters():
    print(
        f"{name:8}  has a gradient {p.grad is not None}  "
        f"moved {not torch.equal(p, before[name])!s:5}  "
        f"in the optimizer {p in stepped}"
    )
