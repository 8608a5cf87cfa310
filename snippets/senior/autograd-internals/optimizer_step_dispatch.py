import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode


class Count(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.names.append(function.overloadpacket.__name__)
        return function(*args, **(kwargs or {}))


for layers in (10, 100):
    for options in ({"foreach": False}, {"foreach": True}, {"fused": True}):
        model = nn.ModuleList([nn.Linear(2, 2) for _ in range(layers)])
        optimizer = torch.optim.AdamW(model.parameters(), **options)
        for p in model.parameters():
            p.grad = torch.ones_like(p)
        optimizer.step()  # creates the state
        with Count() as count:
            optimizer.step()
        print(f"{2 * layers:3} tensors, {options}: {len(count.names)} operations")
