import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
features = {}


def keep(module: nn.Module, args: tuple, output: torch.Tensor) -> None:
    features["hidden"] = output.detach()


handle = model[1].register_forward_hook(keep)
model(torch.ones(3, 4))
print(features["hidden"].shape)
handle.remove()
