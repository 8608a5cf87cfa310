import copy
import math

import torch
import torch.nn.functional as F
from torch import nn


def make(seed: int) -> tuple[nn.Module, torch.optim.Optimizer]:
    """A classifier for inputs of shape (N, 20) and 5 classes, with its optimizer."""
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 5))
    return model, torch.optim.AdamW(model.parameters(), lr=0.01)


def train(
    model: nn.Module, optimizer: torch.optim.Optimizer, batches: list
) -> float:
    """One step for each pair of inputs and labels; returns the last loss."""
    for x, y in batches:
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def same(left: nn.Module, right: nn.Module) -> bool:
    """Whether two models of one architecture have the same weights, to the bit."""
    return all(map(torch.equal, left.parameters(), right.parameters()))


def resumed(batches: list, with_optimizer: bool) -> nn.Module:
    """Train on half of the batches, save, load into a new model, train on the rest."""
    model, optimizer = make(0)
    train(model, optimizer, batches[: len(batches) // 2])
    checkpoint = copy.deepcopy(
        {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
    )
    model, optimizer = make(1)
    model.load_state_dict(checkpoint["model"])
    if with_optimizer:
        optimizer.load_state_dict(checkpoint["optimizer"])
    train(model, optimizer, batches[len(batches) // 2 :])
    return model


if __name__ == "__main__":
    torch.manual_seed(0)
    batches = [(torch.randn(16, 20), torch.randint(5, (16,))) for _ in range(40)]
    model, optimizer = make(0)
    first = F.cross_entropy(model(batches[0][0]), batches[0][1]).item()
    print(f"untrained loss {first:.2f}, guessing costs ln(5) = {math.log(5):.2f}")
    print(
        f"one batch, 300 steps: loss {train(model, optimizer, batches[:1] * 300):.4f}"
    )

    once, again, other = make(0), make(0), make(1)
    for run in (once, again, other):
        train(*run, batches)
    print(
        f"same seed, same weights: {same(once[0], again[0])}; another seed: {same(once[0], other[0])}"
    )
    print(
        f"stopped and resumed, same weights: {same(once[0], resumed(batches, with_optimizer=True))}"
    )
    print(
        f"resumed without the optimizer's state: {same(once[0], resumed(batches, with_optimizer=False))}"
    )
