import torch
from torch import nn

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
x = torch.randn(64, 256)


def he(layer: nn.Linear) -> nn.Linear:
    nn.init.kaiming_normal_(layer.weight)
    nn.init.zeros_(layer.bias)
    return layer


def measure(name: str, layers: list[nn.Linear]) -> None:
    h = x
    for layer in layers:
        h = torch.relu(layer(h))
    h.square().mean().sqrt().backward()
    same = bool(h.std(dim=0).mean() / h.std() < 1e-12)
    first, last = (layer.weight.grad.norm() for layer in (layers[0], layers[-1]))
    print(f"{name:10} std {h.std():.0e}, all inputs alike: {same!s:5}", end=", ")
    print(f"gradient first/last {first / last:.0e}")


measure("default", [nn.Linear(256, 256) for _ in range(50)])
measure("He, bias 0", [he(nn.Linear(256, 256)) for _ in range(50)])
