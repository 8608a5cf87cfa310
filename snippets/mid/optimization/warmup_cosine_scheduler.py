import math
from collections.abc import Callable

import torch
from torch.optim.lr_scheduler import LambdaLR


def warmup_cosine(
    optimizer: torch.optim.Optimizer, warmup: int, total: int, min_lr: float = 0.0
) -> LambdaLR:
    """Linear warmup to each group's rate, then half a cosine down to ``min_lr``.

    Step 0 uses rate / (warmup + 1), step ``warmup`` the group's rate, step
    ``total - 1`` and all later ones ``min_lr``. Call ``step()`` after each step of
    the optimizer. To resume, build it anew and load both state dicts.

    Args:
        optimizer: its groups are all there, each with a rate above zero.
        warmup: steps before the full rate; 0 for none.
        total: steps of the optimizer in the whole run, above ``warmup + 1``.
        min_lr: an absolute rate, at most the smallest rate of a group.

    Raises:
        ValueError: if the numbers do not fit together.
    """
    bases = [float(g.get("initial_lr", g["lr"])) for g in optimizer.param_groups]
    if not 0 <= warmup < total - 1:
        raise ValueError(f"{warmup=} must be at least 0 and below {total - 1}")
    if not 0 <= min_lr <= min(bases) or min(bases) == 0:
        raise ValueError(
            f"{min_lr=} must be at least 0 and at most {min(bases)} > 0"
        )

    def factor_for(base: float) -> Callable[[int], float]:
        low = min_lr / base

        def factor(step: int) -> float:
            if step < warmup:
                return (step + 1) / (warmup + 1)
            progress = min(1.0, (step - warmup) / (total - 1 - warmup))
            return low + (1 - low) * (1 + math.cos(math.pi * progress)) / 2

        return factor

    return LambdaLR(optimizer, [factor_for(base) for base in bases])


if __name__ == "__main__":
    body, head = torch.nn.Linear(4, 4), torch.nn.Linear(4, 1)
    optimizer = torch.optim.AdamW(
        [{"params": body.parameters()}, {"params": head.parameters(), "lr": 1e-2}],
        lr=1e-3,
    )
    scheduler = warmup_cosine(optimizer, warmup=4, total=12, min_lr=1e-4)
    for step in range(14):
        rates = [f"{rate:.6f}" for rate in scheduler.get_last_lr()]
        print(f"step {step:2}", *rates) if step in (0, 1, 4, 8, 11, 13) else None
        optimizer.step()
        scheduler.step()
