import torch
from torch import nn

x = torch.randn(2, 4, 3, 3)  # sample, channel, height, width
changes = {"sample": (1,), "channel": (0, 3), "position": (0, 0, 2, 2), "all": ()}
print("first output      sample     channel    position   all")
for layer in nn.BatchNorm2d(4), nn.GroupNorm(2, 4), nn.LayerNorm(4), nn.RMSNorm(4):
    last = isinstance(layer, (nn.LayerNorm, nn.RMSNorm))  # they want channels last
    row = []
    for where in changes.values():
        y = x.clone()
        y[where] += 1.0
        before, after = (layer(t.movedim(1, -1) if last else t) for t in (x, y))
        row.append("moves" if abs(after - before)[0, 0, 0, 0] > 1e-4 else "-")
    words = "".join(f"{word:11}" for word in row)
    print(f"{layer._get_name():18}{words}".rstrip())
