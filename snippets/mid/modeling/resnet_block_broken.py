import textwrap

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, padding=1)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1)
        self.skip = nn.Identity()
        if inputs != outputs:  # and the stride?
            self.skip = nn.Conv2d(inputs, outputs, 1, stride)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (self.conv2(self.conv1(x).relu()) + self.skip(x)).relu()


block = Block(8, 8, stride=2)
for size in 8, 3, 2, 1:
    x = torch.randn(1, 8, size, size)
    try:
        print(f"{size} x {size} -> {tuple(block(x).shape)}")
    except RuntimeError as error:
        print(textwrap.fill(f"{size} x {size} RuntimeError: {error}", width=80))
