from collections.abc import Callable, Iterable

import torch
from torch import nn


def sgd_step(parameters: Iterable[nn.Parameter], lr: float) -> None:
    """What ``SGD(parameters, lr=lr).step()`` does, in place; any shapes."""
    with torch.no_grad():
        for parameter in parameters:
            if parameter.grad is not None:
                parameter.add_(parameter.grad, alpha=-lr)


def moves(
    build: Callable[[list[nn.Parameter], float], torch.optim.Optimizer],
    lr: float,
    gradient: torch.Tensor,
    steps: int,
) -> torch.Tensor:
    """How far each step moves weights from zero under one constant gradient.

    Args:
        gradient: float32, shape (K,).

    Returns:
        float32, shape (steps, K).
    """
    weights = nn.Parameter(torch.zeros_like(gradient))
    optimizer = build([weights], lr)
    trail = [weights.detach().clone()]
    for _ in range(steps):
        weights.grad = gradient.clone()
        optimizer.step()
        trail.append(weights.detach().clone())
    return torch.stack(trail).diff(dim=0)


OPTIMIZERS = {
    "SGD": lambda parameters, lr: torch.optim.SGD(parameters, lr=lr),
    "SGD, momentum 0.9": lambda parameters, lr: torch.optim.SGD(
        parameters, lr=lr, momentum=0.9
    ),
    "AdamW": lambda parameters, lr: torch.optim.AdamW(parameters, lr=lr),
}

if __name__ == "__main__":
    torch.manual_seed(0)
    library, by_hand = nn.Linear(3, 2), nn.Linear(3, 2)
    by_hand.load_state_dict(library.state_dict())
    optimizer = torch.optim.SGD(library.parameters(), lr=0.1)
    for x in torch.randn(10, 8, 3):
        for model in (library, by_hand):
            model.zero_grad()
            model(x).square().mean().backward()
        optimizer.step()
        sgd_step(by_hand.parameters(), lr=0.1)
    for name, model in (("by hand", by_hand), ("torch.optim.SGD", library)):
        print(
            f"{name:16} after ten steps",
            " ".join(f"{value:7.4f}" for value in model.weight.flatten().tolist()),
        )
    print("same to the last bit:", torch.equal(library.weight, by_hand.weight))

    print("\ngradient (2, 0.02), lr 0.1    first step          tenth step")
    for name, build in OPTIMIZERS.items():
        ten_moves = moves(build, 0.1, torch.tensor([2.0, 0.02]), steps=10)
        first, *_, tenth = ten_moves.tolist()
        print(
            f"{name:28} {first[0]:7.4f}, {first[1]:7.4f}",
            f"  {tenth[0]:7.4f}, {tenth[1]:7.4f}",
        )
