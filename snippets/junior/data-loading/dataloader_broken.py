from collections import Counter

import torch
from torch.utils.data import DataLoader

torch.manual_seed(0)
for shuffle in (False, True):
    loader = DataLoader(range(1000), batch_size=100, shuffle=shuffle)
    seen = Counter()
    for _ in range(len(loader)):  # as many steps as one epoch has
        batch = next(iter(loader))
        seen.update(batch.tolist())
    most = max(seen.values())
    print(f"shuffle={shuffle!s:5}  {len(seen)} of 1000 samples, up to {most} times")
