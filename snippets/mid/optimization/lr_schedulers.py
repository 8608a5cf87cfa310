import torch
from torch.optim import SGD, lr_scheduler

for name, options in {
    "StepLR": {"step_size": 2, "gamma": 0.1},
    "CosineAnnealingLR": {"T_max": 4},
    "OneCycleLR": {"max_lr": 1.0, "total_steps": 6},
}.items():
    optimizer = SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    scheduler = getattr(lr_scheduler, name)(optimizer, **options)
    print(f"{name:17}", end="")
    for _ in range(6):
        print(f" {optimizer.param_groups[0]['lr']:.2f}", end="")
        optimizer.step()
        scheduler.step()
    print()
