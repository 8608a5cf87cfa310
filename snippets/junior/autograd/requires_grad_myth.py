from collections.abc import Callable
from functools import partial

import torch
from torch import nn
from torch.optim import SGD, AdamW, Optimizer


def drift(make_optimizer: Callable[..., Optimizer], clearing: str) -> float:
    """How far a weight, float32 (4, 4), moves in three steps after it was frozen.

    It was frozen after a ``backward()``, so it has a gradient.

    Args:
        make_optimizer: takes the parameters.
        clearing: "never", "zeros" or "None" before each step, or "None once", when
            the weight is frozen.
    """
    torch.manual_seed(0)
    body, head = nn.Linear(4, 4), nn.Linear(4, 1)
    optimizer = make_optimizer([*body.parameters(), *head.parameters()])
    x = torch.randn(16, 4)
    head(body(x)).square().mean().backward()
    optimizer.step()
    body.requires_grad_(False)
    if clearing == "None once":
        body.weight.grad = None
    before = body.weight.clone()
    for _ in range(3):
        if clearing in ("zeros", "None"):
            optimizer.zero_grad(set_to_none=clearing == "None")
        head(body(x)).square().mean().backward()
        optimizer.step()
    return (body.weight - before).abs().max().item()


if __name__ == "__main__":
    optimizers = {
        "SGD": SGD,
        "SGD, momentum": partial(SGD, momentum=0.9),
        "AdamW": AdamW,
    }
    print("gradients cleared" + "".join(f"{name:>15}" for name in optimizers))
    for clearing in ("never", "zeros", "None", "None once"):
        moves = [
            drift(partial(make, lr=0.1), clearing) for make in optimizers.values()
        ]
        print(f"{clearing:17}" + "".join(f"{move:15.4f}" for move in moves))
