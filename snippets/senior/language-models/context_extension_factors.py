# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import math

import matplotlib.pyplot as plt
import torch

WIDTH, SCALE = 128, 8
pair = torch.arange(0, WIDTH, 2, dtype=torch.float64)


def turns(base: float, tokens: int) -> torch.Tensor:
    """How often each pair turns around in a text."""
    return tokens * base ** (-pair / WIDTH) / (2 * math.pi)


for base, tokens in ((10_000, 4096), (500_000, 8192)):
    slow = int((turns(base, tokens) < 1).sum())
    last = 2 * math.pi * turns(base, 32_768)[-1]
    print(
        f"base {base:,}: {slow} of 64 pairs never turn around in {tokens:,} tokens"
    )
    print(f"  in 32,768 tokens the last pair turns by {last:.2f} radians")
ntk = 10_000 * SCALE ** (WIDTH / (WIDTH - 2))
print(f"NTK-aware base: {ntk:,.0f}")
trained = turns(10_000, 4096)
keep = ((trained - 1) / 31).clamp(0, 1)
parts = [
    int(rule.sum()) for rule in (keep == 1, (keep > 0) & (keep < 1), keep == 0)
]
print("YaRN pairs: {} kept, {} blended, {} divided by 8".format(*parts))
print(f"YaRN scores times {(0.1 * math.log(SCALE) + 1) ** 2:.2f}")

figure, axes = plt.subplots(figsize=(5, 3), layout="constrained")
axes.axvspan(63 - parts[2] + 0.5, 63, color="0.5", alpha=0.25, lw=0)
axes.plot(torch.full_like(pair, 1 / SCALE), "-", label="PI")
axes.plot((ntk / 10_000) ** (-pair / WIDTH), "--", label="NTK-aware")
axes.plot(keep + (1 - keep) / SCALE, ":", lw=2.5, label="YaRN")
axes.set(xlabel="pair of channels, fast to slow", ylabel="factor on the frequency")
axes.set(ylim=(0, 1.05), xlim=(0, 63))
axes.legend(loc="upper right")
plt.show()
