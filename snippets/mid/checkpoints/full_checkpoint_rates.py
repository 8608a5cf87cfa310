# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, SequentialLR

STOP, END = 40, 100


def new_optimizer() -> torch.optim.Optimizer:
    return torch.optim.AdamW([torch.nn.Parameter(torch.ones(1))], lr=0.01)


def new_scheduler(optimizer: torch.optim.Optimizer) -> SequentialLR:
    parts = [
        LinearLR(optimizer, 0.1, total_iters=10),
        CosineAnnealingLR(optimizer, 90),
    ]
    return SequentialLR(optimizer, parts, milestones=[10])


def rates(optimizer, scheduler, steps: int) -> list[float]:
    used = []
    for _ in range(steps):
        used.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return used


def resumed(case: str) -> list[float]:
    """The learning rates from ``STOP`` on, for a run that is resumed there.

    Args:
        case: "nothing lost", "optimizer lost", "scheduler lost" or
            "scheduler built last", after its optimizer was loaded.
    """
    first = new_optimizer()
    schedule = new_scheduler(first)
    rates(first, schedule, STOP)
    optimizer = new_optimizer()
    scheduler = new_scheduler(optimizer)
    if case != "optimizer lost":
        optimizer.load_state_dict(first.state_dict())
    if case == "scheduler built last":
        scheduler = new_scheduler(optimizer)
    if case != "scheduler lost":
        scheduler.load_state_dict(schedule.state_dict())
    return rates(optimizer, scheduler, END - STOP)


if __name__ == "__main__":
    optimizer = new_optimizer()
    whole = rates(optimizer, new_scheduler(optimizer), END)
    plt.figure(figsize=(6, 4))
    plt.plot(whole, color="tab:gray", linewidth=5, alpha=0.4, label="never stopped")
    for case, line, width in (
        ("nothing lost", "-", 1.5),
        ("scheduler lost", "--", 1.5),
        ("optimizer lost", "-", 4),
        ("scheduler built last", ":", 1.5),
    ):
        plt.plot(range(STOP, END), resumed(case), line, linewidth=width, label=case)
        print(f"{case:21} highest learning rate {max(resumed(case)):.4f}")
    plt.yscale("log")
    plt.ylim(5e-6, 0.2)
    plt.xlabel("step")
    plt.ylabel("learning rate")
    plt.legend()
    plt.show()
