import torch

keep = torch.tensor([0, 0, 1, 1, 1])
table = torch.arange(10.0)  # one row per position
places = (keep.cumsum(0) - 1).clamp(min=0)
print(table[places].tolist())
