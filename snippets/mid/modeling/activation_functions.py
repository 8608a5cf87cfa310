import torch
from torch import nn

names = "Sigmoid", "Tanh", "ReLU", "GELU", "SiLU"
print("gradient at input    " + "".join(f"{name:>9}" for name in names))
for init, variance in ("default", 1 / 3), ("Xavier", 1), ("He", 2):  # times 256
    row = []
    for name in names:
        torch.manual_seed(0)
        h = x = torch.randn(64, 256, dtype=torch.float64, requires_grad=True)
        for _ in range(20):
            w = torch.randn(256, 256, dtype=torch.float64)
            h = getattr(nn, name)()(h @ w * (variance / 256) ** 0.5)
        h.backward(at_output := torch.randn_like(h))
        row.append(x.grad.norm() / at_output.norm())
    print(f"{init:21}" + "".join(f"{ratio:9.0e}" for ratio in row))
