import io
import math

import torch
import torch.nn.functional as F
from torch import nn


def make(seed: int) -> tuple[nn.Module, torch.optim.Optimizer]:
    """A classifier, (N, 20) -> (N, 5), with its optimizer."""
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 5))
    return model, torch.optim.AdamW(model.parameters(), lr=0.01)


def train(
    model: nn.Module, optimizer: torch.optim.Optimizer, batches: list
) -> float:
    """One step for each pair (at least one) of inputs and labels; the last loss."""
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
    """Train on half of the batches, save, load into a new model, train on the rest.

    Takes at least two batches. With dropout or shuffling, the random state would
    have to be saved as well.
    """
    model, optimizer = make(0)
    train(model, optimizer, batches[: len(batches) // 2])
    file = io.BytesIO()
    torch.save((model.state_dict(), optimizer.state_dict()), file)
    file.seek(0)
    weights, optimizer_state = torch.load(file)
    model, optimizer = make(1)
    model.load_state_dict(weights)
    if with_optimizer:
        optimizer.load_state_dict(optimizer_state)
    train(model, optimizer, batches[len(batches) // 2 :])
    return model


if __name__ == "__main__":
    torch.manual_seed(0)
    batches = [(torch.randn(16, 20), torch.randint(5, (16,))) for _ in range(40)]
    model, optimizer = make(0)
    x, y = batches[0]
    first = F.cross_entropy(model(x), y).item()
    print(f"untrained loss {first:.2f}, guessing costs ln(5) = {math.log(5):.2f}")
    last = train(model, optimizer, [(x, y)] * 300)
    print(f"one batch, 300 steps: loss below 0.01: {last < 0.01}")
    still = [same(old, new) for old, new in zip(make(0)[0], model)]
    print("layers with weights that did not move:", still[0] + still[2])

    once, again, other = make(0), make(0), make(1)
    for run in (once, again, other):
        train(*run, batches)
    print("same seed, same weights:", same(once[0], again[0]))
    print("another seed, same weights:", same(once[0], other[0]))
    for with_optimizer in (True, False):
        equal = same(once[0], resumed(batches, with_optimizer))
        print(f"resumed, optimizer's state {with_optimizer}: same weights {equal}")
