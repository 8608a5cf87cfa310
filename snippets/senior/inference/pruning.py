import io

import torch
from torch import nn
from torch.nn.utils import prune
from torch.utils.flop_counter import FlopCounterMode


def report(name, layer):
    torch.save(layer.state_dict(), file := io.BytesIO())
    with FlopCounterMode(display=False) as counter:
        layer(torch.ones(1, 1024))
    zeros, flops = (layer.weight == 0).double().mean(), counter.get_total_flops()
    print(
        f"{name:14}{zeros:4.0%} zeros {file.tell() / 1e6:5.1f} MB {flops:10,} FLOPs"
    )


layer = nn.Linear(1024, 1024)
report("dense", layer)
prune.l1_unstructured(layer, "weight", amount=0.9)
report("masked", layer)
prune.remove(layer, "weight")
report("mask removed", layer)
report("102 of 1024", nn.Linear(1024, 102))
