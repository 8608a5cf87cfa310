import torch
from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, SequentialLR


def rates(
    start_factor: float, t_max: int, warmup: int = 10, steps: int = 121
) -> list[float]:
    """Rates of a linear warmup to 1 and a cosine to 0.1, from library parts."""
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    linear = LinearLR(optimizer, start_factor=start_factor, total_iters=warmup)
    cosine = CosineAnnealingLR(optimizer, T_max=t_max, eta_min=0.1)
    scheduler = SequentialLR(optimizer, [linear, cosine], milestones=[warmup])
    found = []
    for _ in range(steps):
        found.append(scheduler.get_last_lr()[0])
        optimizer.step()
        scheduler.step()
    return found


if __name__ == "__main__":
    for name, start_factor, t_max in (
        ("right", 1 / 11, 89),
        ("default start_factor", 1 / 3, 89),
        ("T_max = all 100 steps", 1 / 11, 100),
    ):
        used = rates(start_factor, t_max)
        print(f"{name:21}", end="")
        for step in (0, 10, 99, 120):
            print(f"  {step}: {used[step]:.3f}", end="")
        print()
