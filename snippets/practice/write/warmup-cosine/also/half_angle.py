import math


def lr_at(
    step: int, peak: float, warmup: int, total: int, floor: float = 0.0
) -> float:
    left = total - step
    if left <= 0 and step >= warmup:
        return float(floor)
    if step + 1 <= warmup:
        return float(peak) / warmup * (step + 1)
    angle = math.pi / 2 * left / (total - warmup)
    return floor + (peak - floor) * math.sin(angle) ** 2
