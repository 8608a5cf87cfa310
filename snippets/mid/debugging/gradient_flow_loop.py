import torch
from torch import nn

torch.manual_seed(0)
names = ("embed", "gate", "body", "extra", "head")
net = nn.ModuleDict({name: nn.Linear(8, 8) for name in names})
net["embed"].requires_grad_(False)
nn.init.constant_(net["body"].bias, -100)

h = net["embed"](torch.randn(32, 8))
gate = (net["gate"](h) > 0).float()
h = gate * h + net["body"](h).relu()
net["head"](h).square().mean().backward()

for name, p in net.named_parameters():
    norm = None if p.grad is None else f"{p.grad.norm():.1g}"
    if name.endswith("weight"):
        print(f"{name:13} {norm!s:5} trained: {p.requires_grad}")
