import torch
from torch.optim import SGD
from torch.optim.lr_scheduler import CosineAnnealingLR


def build() -> tuple[SGD, CosineAnnealingLR]:
    optimizer = SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    return optimizer, CosineAnnealingLR(optimizer, T_max=8)


def used(optimizer: SGD, scheduler: CosineAnnealingLR, steps: int) -> list[float]:
    found = []
    for _ in range(steps):
        found.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return found


def resumed(load: str) -> list[float]:
    """The rates of steps 4 to 7 after a checkpoint at step 4.

    Args:
        load: which states are loaded: optimizer, scheduler, or both.
    """
    optimizer, scheduler = build()
    used(optimizer, scheduler, 4)
    states = optimizer.state_dict(), scheduler.state_dict()
    optimizer, scheduler = build()
    if load in ("optimizer", "both"):
        optimizer.load_state_dict(states[0])
    if load in ("scheduler", "both"):
        scheduler.load_state_dict(states[1])
    return used(optimizer, scheduler, 4)


if __name__ == "__main__":
    print(f"{'not stopped':12}", [f"{rate:.2f}" for rate in used(*build(), 8)[4:]])
    for load in ("both", "scheduler", "optimizer"):
        print(f"{load:12}", [f"{rate:.2f}" for rate in resumed(load)])
