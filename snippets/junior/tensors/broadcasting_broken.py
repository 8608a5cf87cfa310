import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 1)
y = 5 + 2 * x.squeeze(1)
print(f"targets: mean {y.mean():.2f}, variance {y.var(correction=0):.2f}")
for target in (y, y.unsqueeze(1)):
    model = nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    losses = []
    for _ in range(200):
        loss = ((model(x) - target) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(round(loss.item(), 2))
    p = model(x)
    print(f"\ntarget {tuple(target.shape)}: losses", losses[:50:10])
    print(f"  predictions {p.min():.2f} to {p.max():.2f}")
