"""The warm-up takes one step too many, and that step is above the peak."""

import math


def lr_at(
    step: int, peak: float, warmup: int, total: int, floor: float = 0.0
) -> float:
    if step <= warmup and warmup > 0:
        return peak * (step + 1) / warmup
    if step >= total:
        return float(floor)
    progress = (step - warmup) / (total - warmup)
    return floor + (peak - floor) * (1 + math.cos(math.pi * progress)) / 2
