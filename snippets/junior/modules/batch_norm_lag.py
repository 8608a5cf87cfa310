import torch
from torch import nn


def batches(count: int) -> torch.Tensor:
    return torch.randn(count, 64, 8) * 2 + 5


torch.manual_seed(0)
layers = {
    "momentum=0.1": nn.BatchNorm1d(8),
    "momentum=None": nn.BatchNorm1d(8, momentum=None),
}
held_out = batches(20).flatten(0, 1)
print("eval output   ", *(f"{name:>16}" for name in layers))
print("after steps   ", *("    mean     std" for _ in layers))
for step, x in enumerate(batches(51)):
    if step in (0, 1, 5, 10, 20, 50):
        outputs = [layer.eval()(held_out) for layer in layers.values()]
        print(
            f"{step:11}   ",
            *(f"{output.mean():z8.2f}{output.std():z8.2f}" for output in outputs),
        )
    for layer in layers.values():
        layer.train()(x)
