import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

one, two, three = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)
one.requires_grad_(False)
x = torch.ones(1, 4)
with FlopCounterMode(display=False) as count:
    three(two(one(x).relu()).relu()).sum().backward()
print(count.get_total_flops() // (2 * 4 * 4))
