import torch
from torch.utils.data import DataLoader


def draw_after(batches):
    torch.manual_seed(0)
    for _ in batches:
        pass
    return torch.rand(1).item()


plain = list(DataLoader(range(4), shuffle=False))
own = DataLoader(range(4), shuffle=False, generator=torch.Generator())
print(draw_after(plain) == draw_after([]), draw_after(own) == draw_after([]))
