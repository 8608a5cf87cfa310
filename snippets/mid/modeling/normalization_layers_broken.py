import textwrap

import torch
from torch import nn

images = torch.randn(2, 8, 8, 8)  # N, C, H, W: as many columns as channels
one_row = nn.LayerNorm(8)(images)
per_token = nn.LayerNorm(8)(images.movedim(1, -1)).movedim(-1, 1)
print("no error, but equal:", torch.allclose(one_row, per_token, atol=1e-3))
try:
    nn.LayerNorm(8)(torch.randn(2, 8, 5, 5))
except RuntimeError as error:
    print(textwrap.fill(f"RuntimeError: {error}", width=80))

pooled = torch.randn(2, 8, 1, 1) * 100
largest = nn.GroupNorm(8, 8)(pooled).abs().max()
print("one value per group, largest output below 0.01:", (largest < 0.01).item())
try:
    nn.GroupNorm(8, 8)(pooled[:1])
except ValueError as error:
    print(textwrap.fill(f"ValueError: {error}", width=80))
