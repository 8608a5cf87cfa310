import math

import torch

WIDTH, TRAINED, SCALE, BASE = 128, 4096, 8, 10_000.0
pair = torch.arange(0, WIDTH, 2, dtype=torch.float64)
plain = BASE ** (-pair / WIDTH)  # radians per token, for each pair of channels
turns = TRAINED * plain / (2 * math.pi)
keep = ((turns - 1) / 31).clamp(0, 1)  # 0 below one turn, 1 above 32

methods = {
    "unchanged": plain,
    "PI": plain / SCALE,
    "NTK-aware": (BASE * SCALE ** (WIDTH / (WIDTH - 2))) ** (-pair / WIDTH),
    "YaRN": keep * plain + (1 - keep) * plain / SCALE,
}
print("           pairs with       a head that looked 1, 10, 100 back")
print("           unseen angles    now looks")
for name, new in methods.items():
    unseen = (turns < 1) & (SCALE * new > plain * (1 + 1e-9))
    far = torch.arange(32_768)[:, None] * new
    looks = [int((far - d * plain).cos().mean(1).argmax()) for d in (1, 10, 100)]
    print(f"{name:10} {int(unseen.sum()):3} of {len(pair)}  {looks!s:>26}")
