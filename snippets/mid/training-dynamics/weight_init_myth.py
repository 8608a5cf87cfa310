import torch
from torch import nn

torch.manual_seed(0)
layers = {
    "Linear(400, 50)": nn.Linear(400, 50),
    "Conv2d(64, 32, 3)": nn.Conv2d(64, 32, 3),
    "Conv2d(64, 64, 3, groups=64)": nn.Conv2d(64, 64, 3, groups=64),
}
print(f"gain for a = sqrt(5): {nn.init.calculate_gain('leaky_relu', 5**0.5):.4f}")
for name, layer in layers.items():
    fan_in = layer.weight[0].numel()
    bound = layer.weight.abs().max().item() * fan_in**0.5
    spread = layer.weight.var().item() * fan_in
    print(f"{name:29} fan_in {fan_in:3}", end=", ")
    print(f"bound * sqrt(fan_in) {bound:.1f}, var * fan_in {spread:.1f}")
