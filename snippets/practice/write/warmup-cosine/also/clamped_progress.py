from math import cos, pi


def lr_at(
    step: int, peak: float, warmup: int, total: int, floor: float = 0.0
) -> float:
    if step < warmup:
        return (step + 1) / warmup * peak
    length = total - warmup
    progress = min(1.0, (step - warmup) / length) if length > 0 else 1.0
    share = 0.5 + 0.5 * cos(pi * progress)
    return share * peak + (1 - share) * floor
