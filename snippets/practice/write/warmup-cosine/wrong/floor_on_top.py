"""The floor is added to the whole peak, so the rate begins above it."""

import math


def lr_at(
    step: int, peak: float, warmup: int, total: int, floor: float = 0.0
) -> float:
    if step < warmup:
        return peak * (step + 1) / warmup
    if step >= total:
        return float(floor)
    progress = (step - warmup) / (total - warmup)
    return floor + peak * (1 + math.cos(math.pi * progress)) / 2
