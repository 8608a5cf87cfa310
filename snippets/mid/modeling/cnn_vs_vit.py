import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(1, 1, 16, 16)
conv = nn.Conv2d(1, 8, 3, padding=1, padding_mode="circular")
patches = nn.Conv2d(1, 8, kernel_size=4, stride=4)  # a ViT's first layer
place = torch.randn(1, 8, 4, 4)  # its position embedding, one vector per patch
print("moved by  convolution  patches  patches + positions")
for shift in (1, 4):
    moved, same = x.roll(shift, -1), []
    for layer, step in ((conv, 1), (patches, 4), (lambda x: patches(x) + place, 4)):
        expected = layer(x).roll(shift // step, -1)
        same.append(torch.allclose(layer(moved), expected, atol=1e-5))
    print(f"{shift:8}  {same[0]!s:11}  {same[1]!s:7}  {same[2]!s}")
