"""The cosine ends at 0 and not at the floor, and then jumps."""

import math


def lr_at(
    step: int, peak: float, warmup: int, total: int, floor: float = 0.0
) -> float:
    if step < warmup:
        return peak * (step + 1) / warmup
    if step >= total:
        return float(floor)
    progress = (step - warmup) / (total - warmup)
    return peak * (1 + math.cos(math.pi * progress)) / 2
