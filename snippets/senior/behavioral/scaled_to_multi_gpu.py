import torch
from torch import nn
from torch.utils.data import DistributedSampler
from torch.utils.flop_counter import FlopCounterMode

model = nn.Sequential(nn.Linear(20, 25), nn.ReLU(), nn.Linear(25, 20))
with FlopCounterMode(display=False) as trained:
    model(torch.randn(25, 20)).square().mean().backward()
with torch.no_grad(), FlopCounterMode(display=False) as validated:
    model(torch.randn(1000, 20))
print("GPUs  steps  rank 0 trains + validates: MFLOP   speed-up  efficiency")
for gpus in (1, 2, 4, 8, 64):
    steps = len(DistributedSampler(range(8000), gpus, rank=0)) // 25
    a = steps * trained.get_total_flops() / 1e6
    b = validated.get_total_flops() / 1e6  # rank 0 alone: the others wait
    if gpus == 1:
        alone = a + b
    speed_up = alone / (a + b)
    print(f"{gpus:4}{steps:7}{a:11.3f} + {b:.0f} = {a + b:6.3f}", end="")
    print(f"{speed_up:21.1f}{speed_up / gpus:12.0%}")
