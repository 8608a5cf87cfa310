import torch
from torch import nn
from torch.nn import functional as F


def step_length(make, reduction: str, decay: float = 0.0) -> float:
    """How far one step moves the weights of a linear layer, batch of 64.

    Args:
        make: an optimizer class; its learning rate is 0.001.
        reduction: "mean" or "sum".
        decay: passed as ``weight_decay``.
    """
    torch.manual_seed(0)
    layer = nn.Linear(4, 1)
    before = layer.weight.detach().clone()
    optimizer = make(layer.parameters(), lr=0.001, weight_decay=decay)
    x, y = torch.randn(64, 4), torch.randn(64, 1)
    F.mse_loss(layer(x), y, reduction=reduction).backward()
    optimizer.step()
    return (layer.weight - before).norm().item()


if __name__ == "__main__":
    for make in (torch.optim.SGD, torch.optim.Adam):
        lengths = [step_length(make, reduction) for reduction in ("sum", "mean")]
        print(f"{make.__name__:5} sum / mean = {lengths[0] / lengths[1]:.1f}")
