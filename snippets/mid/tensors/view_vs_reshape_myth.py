import textwrap

import torch

y = torch.arange(12).reshape(3, 4).T
print(
    "contiguous:", y.is_contiguous(), "shape", tuple(y.shape), "strides", y.stride()
)
print("y.view(2, 2, 3): strides", y.view(2, 2, 3).stride())
try:
    y.view(12)
except RuntimeError as error:
    print(textwrap.fill(f"y.view(12): RuntimeError: {error}", width=84))
