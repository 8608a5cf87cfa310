import torch
from torch import nn

with torch.device("meta"):
    model = nn.Sequential(
        nn.LazyConv2d(64, 3), nn.ReLU(), nn.Flatten(), nn.LazyLinear(1000)
    )
    out = model(torch.empty(32, 3, 224, 224))
count = sum(p.numel() for p in model.parameters())
print(tuple(out.shape), f"{count:,} parameters, {4 * count / 2**30:.1f} GiB")
print("on:", {p.device.type for p in model.parameters()})
