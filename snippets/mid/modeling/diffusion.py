import math

import torch

T = 1000
step = torch.arange(T + 1, dtype=torch.float64)
beta = torch.linspace(1e-4, 0.02, T, dtype=torch.float64)
linear = (1 - beta).cumprod(dim=0)  # share of the variance that is still data
angle = (step / T + 0.008) / 1.008 * math.pi / 2
cosine = (angle.cos() ** 2 / angle[0].cos() ** 2)[1:]
print("step      ", *[f"{t:>9}" for t in (1, 250, 500, 750, 999)])
for name, kept in (("linear", linear), ("cosine", cosine)):
    ratio = kept / (1 - kept)
    print(f"SNR {name}", *[f"{ratio[t - 1]:9.2g}" for t in (1, 250, 500, 750, 999)])
