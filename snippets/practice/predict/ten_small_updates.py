import torch

up = torch.ones(1, dtype=torch.bfloat16)
down = torch.ones(1, dtype=torch.bfloat16)
update = torch.full((1,), 0.003)
for _ in range(10):
    up += update
    down -= update
print(round(up.item(), 2), round(down.item(), 2))
