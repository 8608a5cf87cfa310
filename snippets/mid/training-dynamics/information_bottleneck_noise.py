import math

import torch

x = (torch.arange(1024, dtype=torch.float64) + 0.5) / 512 - 1
print("   w   tanh(w x) + noise   ReLU(w x) + noise   ReLU(w x) + noise * w")
for w in (0.1, 0.3, 1, 3, 10, 30):
    row = []
    for values, std in (
        (torch.tanh(w * x), 0.05),
        (torch.relu(w * x), 0.05),
        (torch.relu(w * x), 0.05 * w),
    ):
        step = std / 4
        low, high = values.min() - 6 * std, values.max() + 6 * std
        grid = torch.arange(low.item(), high.item(), step, dtype=torch.float64)
        kernel = torch.exp(-(((grid.unsqueeze(1) - values) / std) ** 2) / 2)
        density = kernel.mean(dim=1) / (std * math.sqrt(2 * math.pi))
        entropy = -torch.special.xlogy(density, density).sum() * step
        noise = math.log(std * math.sqrt(2 * math.pi * math.e))
        row.append((entropy.item() - noise) / math.log(2))
    print(f"{w:4} {row[0]:19.2f} {row[1]:19.2f} {row[2]:23.2f}")
