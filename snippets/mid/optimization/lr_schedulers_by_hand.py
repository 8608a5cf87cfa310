import torch
from torch.optim import SGD
from torch.optim.lr_scheduler import LambdaLR, StepLR


def halved(step: int) -> float:
    """Factor on the first learning rate."""
    return 0.5**step


for make in (
    lambda optimizer: StepLR(optimizer, step_size=1, gamma=0.5),
    lambda optimizer: LambdaLR(optimizer, halved),
):
    optimizer = SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    scheduler = make(optimizer)
    used = []
    for step in range(5):
        if step == 2:
            optimizer.param_groups[0]["lr"] = 10.0
        used.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    print(f"{type(scheduler).__name__:8}", used)
