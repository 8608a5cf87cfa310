# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
from torch import nn

SAMPLES, CHANNELS, POSITIONS = 2, 4, 3
last = nn.LayerNorm(CHANNELS)
LAYERS = {
    "BatchNorm": nn.BatchNorm1d(CHANNELS),
    "GroupNorm, 2 groups": nn.GroupNorm(2, CHANNELS),
    "InstanceNorm": nn.InstanceNorm1d(CHANNELS),
    "LayerNorm, per token": lambda x: last(x.mT).mT,
}


def statistic(layer) -> torch.Tensor:
    """Which mean each input belongs to: int64 (SAMPLES, CHANNELS, POSITIONS).

    Asks autograd: an output depends on all the inputs that share its mean.
    """
    torch.manual_seed(0)
    x = torch.randn(SAMPLES, CHANNELS, POSITIONS, requires_grad=True)
    y = layer(x).flatten()
    numbers = torch.full((y.numel(),), -1)
    for i in range(y.numel()):
        if numbers[i] < 0:
            (gradient,) = torch.autograd.grad(y[i], x, retain_graph=True)
            numbers[gradient.flatten() != 0] = numbers.max() + 1
    return numbers.view_as(x)


if __name__ == "__main__":
    figure, panels = plt.subplots(2, 2, sharex=True, sharey=True)
    for panel, (name, layer) in zip(panels.flat, LAYERS.items()):
        numbers = statistic(layer)
        count, values = numbers.max() + 1, (numbers == 0).sum()
        print(f"{name:20} {count:2} means of {values:2} values")
        for sample in range(SAMPLES):
            for channel in range(CHANNELS):
                for position in range(POSITIONS):
                    at = channel + (position - 1) * 0.29, sample
                    letter = chr(65 + numbers[sample, channel, position])
                    panel.text(*at, letter, fontsize=10, ha="center", va="center")
        panel.set_title(name, fontsize=10)
        panel.set_xticks(range(CHANNELS))
        panel.set_yticks(range(SAMPLES))
        panel.set_xlim(-0.6, CHANNELS - 0.4)
        panel.set_ylim(-0.6, SAMPLES - 0.4)
    figure.supxlabel("channel, three positions each", fontsize=10)
    figure.supylabel("sample", fontsize=10)
    plt.show()
