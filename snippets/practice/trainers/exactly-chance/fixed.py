"""Classify pictures of ten classes, and report the accuracy after each epoch."""

import sys

import torch
import torch.nn.functional as F
from torch import nn

CLASSES, PIXELS = 10, 64
EPOCHS, BATCH = 8, 50


def draw(count: int, prototypes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """As many pictures of each class."""
    y = torch.arange(CLASSES).repeat(count // CLASSES)
    return prototypes[y] + 1.7 * torch.randn(count, PIXELS), y


def shuffled(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    order = torch.randperm(len(x))
    return x[order], y[order]


def build(width: int) -> nn.Module:
    return nn.Sequential(
        nn.Linear(PIXELS, width),
        nn.ReLU(),
        nn.Linear(width, width),
        nn.ReLU(),
        nn.Linear(width, CLASSES),
    )


@torch.no_grad()
def accuracy(model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> float:
    predicted = model(x).topk(1, dim=-1).indices.squeeze(-1)
    return (predicted == y).float().mean().item()


def train(seed: int, width: int = 64, lr: float = 0.02) -> dict:
    torch.manual_seed(seed)
    prototypes = torch.randn(CLASSES, PIXELS)
    x_train, y_train = draw(2000, prototypes)
    x_test, y_test = draw(500, prototypes)
    model = build(width)
    optimizer = torch.optim.SGD(
        model.parameters(), lr=lr, momentum=0.9, nesterov=True
    )
    losses, accuracies = [], []
    for _ in range(EPOCHS):
        x_epoch, y_epoch = shuffled(x_train, y_train)
        total = 0.0
        for x, y in zip(x_epoch.split(BATCH), y_epoch.split(BATCH)):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(x)
        losses.append(total / len(x_train))
        accuracies.append(accuracy(model, x_test, y_test))
    return {"losses": losses, "accuracies": accuracies, "model": model}


if __name__ == "__main__":
    run = train(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    for epoch, loss in enumerate(run["losses"], 1):
        print(f"epoch {epoch}: training loss {loss:.3f}", end=", ")
        print(f"test accuracy {run['accuracies'][epoch - 1]:.4f}")
