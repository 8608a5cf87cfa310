def lr_at(
    step: int, peak: float, warmup: int, total: int, floor: float = 0.0
) -> float:
    rate = float(floor)
    if step in range(warmup):
        rate = peak * ((1 + step) / warmup)
    elif step in range(warmup, total):
        turn = (step - warmup) / (total - warmup)
        rate = (peak + floor) / 2 + (peak - floor) / 2 * ((-1 + 0j) ** turn).real
    return rate
