import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

model = nn.Sequential(
    nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1)
)
parameters = sum(p.numel() for p in model.parameters())
with FlopCounterMode(display=False) as forward:
    loss = model(torch.randn(32, 64)).square().mean()
with FlopCounterMode(display=False) as backward:
    loss.backward()
once = forward.get_total_flops()
print(f"parameters {parameters:,}, forward {once:,} flops")
print(
    f"backward, all gradients:    {backward.get_total_flops() / once:.2f} forwards"
)
print(f"two forwards per parameter: {2 * parameters:,} forwards")
