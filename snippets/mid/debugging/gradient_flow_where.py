import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        for name in ("first", "second", "head"):
            self.add_module(name, nn.Linear(4, 4))

    def forward(self, x):
        h = self.second(self.first(x).relu())
        return self.head(h.detach())  # the bug


def keep(module, args, output):
    output.retain_grad()
    outputs[module] = output


net, outputs = Net(), {}
for module in net.children():
    module.register_forward_hook(keep)
net(torch.randn(2, 4)).sum().backward()
for name, module in net.named_children():
    reached = outputs[module].grad is not None
    print(f"{name:7}gradient of its output: {reached}")
