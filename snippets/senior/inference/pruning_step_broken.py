import torch
from torch import nn
from torch.nn.utils import prune


def step(layer, x, y):
    loss = (layer(x) - y).square().mean()
    for p, g in zip(
        layer.parameters(), torch.autograd.grad(loss, layer.parameters())
    ):
        p.data -= 0.01 * g


torch.manual_seed(0)
x, y = torch.randn(64, 32), torch.randn(64, 16)
for remove_first in (True, False):
    layer = nn.Linear(32, 16)
    prune.l1_unstructured(layer, "weight", amount=0.75)
    if remove_first:
        prune.remove(layer, "weight")
    step(layer, x, y)
    if not remove_first:
        prune.remove(layer, "weight")
    zeros = (layer.weight == 0).double().mean()
    print(
        "mask removed",
        "before" if remove_first else "after ",
        f"the step: {zeros:.0%}",
    )
