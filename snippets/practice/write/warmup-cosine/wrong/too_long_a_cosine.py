"""The cosine is stretched over total steps although the warm-up has used some of
them, so it does not reach the floor."""

import math


def lr_at(
    step: int, peak: float, warmup: int, total: int, floor: float = 0.0
) -> float:
    if step < warmup:
        return peak * (step + 1) / warmup
    if step >= total:
        return float(floor)
    progress = (step - warmup) / total
    return floor + (peak - floor) * (1 + math.cos(math.pi * progress)) / 2
