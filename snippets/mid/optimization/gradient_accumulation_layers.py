import torch
from torch import nn


def difference(layer: nn.Module, micro_batches: int = 4) -> float:
    """Relative difference of the accumulated gradient from that of one batch.

    Args:
        layer: between two linear layers, takes float32 (n, 8).
    """
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), layer, nn.Linear(8, 1))
    x, y = torch.randn(32, 4), torch.randn(32, 1)
    gradients = []
    for parts in (1, micro_batches):
        model.zero_grad()
        torch.manual_seed(1)
        for xs, ys in zip(x.chunk(parts), y.chunk(parts)):
            (((model(xs) - ys) ** 2).mean() / parts).backward()
        gradients.append(model[0].weight.grad.clone())
    full, accumulated = gradients
    return ((accumulated - full).norm() / full.norm()).item()


if __name__ == "__main__":
    for layer in (nn.Tanh(), nn.LayerNorm(8), nn.BatchNorm1d(8)):
        name = type(layer).__name__
        print(f"{name:11} train: {difference(layer.train()) > 0.01}", end=", ")
        print(f"eval: {difference(layer.eval()) > 0.01}")
