import torch
from torch import nn


def check(model):
    for name, p in model.named_parameters():
        norm = None if p.grad is None else p.grad.norm().item()
        print(f"{name:13} {norm!s:5} requires_grad {p.requires_grad}")


names = "embed", "gate", "body", "extra", "head"
net = nn.ModuleDict({n: nn.Linear(2, 2, bias=False) for n in names})
for p in net.parameters():
    nn.init.ones_(p)
net["embed"].requires_grad_(False)
nn.init.constant_(net["body"].weight, -1)

h = net["embed"](torch.ones(1, 2))
gate = (net["gate"](h) > 0).float()
h = gate * h + net["body"](h).relu()
net["head"](h).sum().backward()
check(net)
