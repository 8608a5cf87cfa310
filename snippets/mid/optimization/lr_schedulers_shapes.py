# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
from collections.abc import Callable

import matplotlib.pyplot as plt
import torch
from torch.optim import SGD, Optimizer
from torch.optim.lr_scheduler import (
    CosineAnnealingLR,
    LinearLR,
    LRScheduler,
    OneCycleLR,
    SequentialLR,
    StepLR,
)

STEPS = 60


def warmup_then_cosine(optimizer: Optimizer) -> LRScheduler:
    """Linear from a tenth of the rate in 10 steps, then cosine to zero."""
    warmup = LinearLR(optimizer, start_factor=0.1, total_iters=10)
    cosine = CosineAnnealingLR(optimizer, T_max=STEPS - 10)
    return SequentialLR(optimizer, [warmup, cosine], milestones=[10])


MAKE: dict[str, Callable[[Optimizer], LRScheduler]] = {
    "StepLR": lambda optimizer: StepLR(optimizer, step_size=20, gamma=0.3),
    "CosineAnnealingLR": lambda optimizer: CosineAnnealingLR(
        optimizer, T_max=STEPS
    ),
    "OneCycleLR": lambda optimizer: OneCycleLR(optimizer, 1.0, total_steps=STEPS),
    "SequentialLR": warmup_then_cosine,
}


def rates(
    make: Callable[[Optimizer], LRScheduler], steps: int = STEPS
) -> list[float]:
    """The rates that ``steps`` steps of an optimizer with rate 1 use."""
    optimizer = SGD([torch.zeros(1, requires_grad=True)], lr=1.0, momentum=0.9)
    scheduler = make(optimizer)
    used = []
    for step in range(steps):
        used.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        if step + 1 < steps:
            scheduler.step()
    return used


if __name__ == "__main__":
    for (name, make), style in zip(MAKE.items(), ("-.", "-", "--", ":")):
        used = rates(make)
        plt.plot(used, style, label=name)
        print(f"{name:17} first {used[0]:.2f}, highest {max(used):.2f},", end=" ")
        print(f"last {used[-1]:.4f}")
    plt.xlabel("step")
    plt.ylabel("learning rate")
    plt.ylim(-0.05, 1.55)
    plt.legend(loc="upper right", ncols=2)
    plt.show()
