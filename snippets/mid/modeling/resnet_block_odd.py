import torch
from torch import nn

branch = nn.Conv2d(4, 4, 3, stride=2, padding=1)
skips = {
    "1x1, stride 2": nn.Conv2d(4, 4, 1, stride=2),
    "average pool": nn.AvgPool2d(2),
    "pool, ceil_mode": nn.AvgPool2d(2, ceil_mode=True, count_include_pad=False),
}
print("size             ", *[f"{size:3}" for size in (6, 7, 8, 9)])
for name, layer in {"branch": branch, **skips}.items():
    sizes = [layer(torch.zeros(1, 4, n, n)).shape[-1] for n in (6, 7, 8, 9)]
    print(f"{name:17}", *[f"{size:3}" for size in sizes])
