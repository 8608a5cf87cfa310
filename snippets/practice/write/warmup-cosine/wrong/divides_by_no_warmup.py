"""Without a warm-up this divides by zero."""

import math


def lr_at(
    step: int, peak: float, warmup: int, total: int, floor: float = 0.0
) -> float:
    rise = (step + 1) / warmup
    if rise <= 1:
        return peak * rise
    if step >= total:
        return float(floor)
    progress = (step - warmup) / (total - warmup)
    return floor + (peak - floor) * (1 + math.cos(math.pi * progress)) / 2
