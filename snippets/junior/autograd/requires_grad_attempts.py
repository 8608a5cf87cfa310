from collections.abc import Callable

import torch
from torch import nn


def freeze(module: nn.Module) -> None:
    """Stop training every parameter of ``module``, of any shape and dtype.

    There is no new gradient afterwards, and no old one is left.
    """
    for parameter in module.parameters():
        parameter.requires_grad_(False)
        parameter.grad = None


def train_after(freezing: Callable[[nn.Linear], object]) -> tuple[float, int]:
    """How far a float32 layer, 4 to 4, moves in three steps after ``freezing``.

    The second value is the number of its gradients then.
    """
    torch.manual_seed(0)
    body, head = nn.Linear(4, 4), nn.Linear(4, 1)
    optimizer = torch.optim.AdamW([*body.parameters(), *head.parameters()], lr=0.1)
    x = torch.randn(16, 4)
    for step in range(4):
        if step == 1:
            freezing(body)
            before = [parameter.detach().clone() for parameter in body.parameters()]
        optimizer.zero_grad()
        head(body(x)).square().mean().backward()
        optimizer.step()
    moved = max(
        (now - then).abs().max().item()
        for now, then in zip(body.parameters(), before)
    )
    return moved, sum(parameter.grad is not None for parameter in body.parameters())


if __name__ == "__main__":
    for name, freezing in {
        "body.requires_grad = False": lambda body: setattr(
            body, "requires_grad", False
        ),
        "body.weight.require_grad = False": lambda body: setattr(
            body.weight, "require_grad", False
        ),
        "body.weight.requires_grad = False": lambda body: setattr(
            body.weight, "requires_grad", False
        ),
        "freeze(body)": freeze,
    }.items():
        moved, gradients = train_after(freezing)
        print(f"{name:34} body moved {moved:.4f}, gradients {gradients}")
