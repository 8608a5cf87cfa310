import torch
from torch import nn

names = "adapter", "backbone", "head"
net = nn.ModuleDict({n: nn.Linear(1, 1, bias=False) for n in names})
for p, weight in zip(net.parameters(), (2, 3, 5)):
    nn.init.constant_(p, weight)
net["backbone"].requires_grad_(False)

for mode in torch.no_grad, torch.enable_grad:
    net.zero_grad()
    h = net["adapter"](torch.ones(1, 1))
    with mode():
        h = net["backbone"](h)
    loss = net["head"](h).sum()
    loss.backward()
    print(f"{mode.__name__}: loss {loss.item()}")
    for name, p in net.named_parameters():
        print(f"    {name:16}{p.grad}")
