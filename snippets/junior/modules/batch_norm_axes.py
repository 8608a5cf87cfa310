# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
from collections.abc import Callable

import matplotlib.pyplot as plt
import torch
from torch import nn

SAMPLES, CHANNELS, POSITIONS = 3, 4, 3


def used(layer: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
    """Which inputs the output at sample 1, channel 1, position 1 depends on.

    Asks autograd, in train mode: bool (SAMPLES, CHANNELS, POSITIONS).
    """
    torch.manual_seed(0)
    x = torch.randn(SAMPLES, CHANNELS, POSITIONS, requires_grad=True)
    layer(x)[1, 1, 1].backward()
    return x.grad != 0


layer_norm = nn.LayerNorm(CHANNELS)
LAYERS = {
    "BatchNorm1d(4)": nn.BatchNorm1d(CHANNELS),
    "LayerNorm(4), per token": lambda x: layer_norm(x.mT).mT,
    "GroupNorm(2, 4)": nn.GroupNorm(2, CHANNELS),
    "InstanceNorm1d(4)": nn.InstanceNorm1d(CHANNELS),
}

if __name__ == "__main__":
    figure, axes = plt.subplots(2, 2, sharex=True, sharey=True)
    for axis, (name, layer) in zip(axes.flat, LAYERS.items()):
        mask = used(layer)
        print(f"{name:24} {mask.sum():2} values per mean")
        for chosen, style in ((mask, "s"), (~mask, "x")):
            sample, channel, position = chosen.nonzero().T
            axis.plot(channel + (position - 1) * 0.24, sample, style, markersize=4)
        axis.set_title(name, fontsize=10)
        axis.set_xticks(range(CHANNELS))
        axis.set_yticks(range(SAMPLES))
    figure.supxlabel("channel, three positions each", fontsize=10)
    figure.supylabel("sample", fontsize=10)
    plt.show()
