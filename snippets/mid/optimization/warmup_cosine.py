import math


def rate(step, base=3e-4, low=1e-6, warmup=500, total=10_000):
    if step < warmup:
        return base * (step + 1) / (warmup + 1)
    progress = min(1.0, (step - warmup) / (total - 1 - warmup))
    return low + (base - low) * (1 + math.cos(math.pi * progress)) / 2


for step in (0, 250, 500, 5000, 9999, 12_000):
    print(f"step {step:5}: {rate(step):.2e}")
