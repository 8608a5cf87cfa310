import math

WARMUP, TOTAL, BASE, MIN_LR = 50, 1000, 3e-4, 1e-6


def factor(step: int) -> float:
    """What is often given to LambdaLR, which multiplies BASE by it."""
    if step < WARMUP:
        return step / WARMUP
    progress = (step - WARMUP) / (TOTAL - WARMUP)
    return max(MIN_LR, (1 + math.cos(math.pi * progress)) / 2)


for step in (0, 50, 1000, 1200):
    print(f"step {step:4}: {BASE * factor(step):.2e}")
