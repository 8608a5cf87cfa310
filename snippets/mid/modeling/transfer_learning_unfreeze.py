import torch
from torch import nn

torch.manual_seed(0)
backbone, head = nn.Linear(4, 8), nn.Linear(8, 2)
model = nn.Sequential(backbone, nn.ReLU(), head)
x, y = torch.randn(32, 4), torch.randint(0, 2, (32,))


def moved(optimizer, steps: int = 3) -> bool:
    before = backbone.weight.detach().clone()
    for _ in range(steps):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    return not torch.equal(backbone.weight, before)


backbone.requires_grad_(False)
optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad])
print("frozen:             backbone moved", moved(optimizer))
backbone.requires_grad_(True)
print("flag on again:      backbone moved", moved(optimizer))
backbone.zero_grad()  # gradients have piled up: this optimizer does not know them
optimizer.add_param_group({"params": backbone.parameters(), "lr": 1e-4})
print("added as a group:   backbone moved", moved(optimizer))
print("rates:", [group["lr"] for group in optimizer.param_groups])
