"""Pictures, a folder per class: train, and validate after each epoch."""

import sys

import torch
import torch.nn.functional as F
from torch import nn

CLASSES, SIZE, EPOCHS, BATCH = 10, 8, 6, 50


def read_folders(count: int, prototypes: torch.Tensor) -> tuple:
    """Pictures with values from 0 to 255, folder by folder, and their classes."""
    y = torch.arange(CLASSES).repeat_interleave(count)
    x = prototypes[y] + 60 * torch.randn(len(y), 1, SIZE, SIZE)
    return x.clamp(0, 255).round(), y


def build(dropout: float) -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, bias=False),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(16 * (SIZE // 2 - 1) ** 2, 64, bias=False),
        nn.BatchNorm1d(64),
        nn.ReLU(),
        nn.Dropout(dropout),
        nn.Linear(64, CLASSES),
    )


@torch.no_grad()
def validate(model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> tuple:
    loss, right = 0.0, 0
    for x_batch, y_batch in zip(x.split(BATCH), y.split(BATCH)):
        output = model(x_batch)
        loss += F.cross_entropy(output, y_batch, reduction="sum").item()
        right += (output.argmax(dim=1) == y_batch).sum().item()
    return loss / len(x), right / len(x)


def train(seed: int, dropout: float = 0.0, decay: float = 0.01) -> dict:
    torch.manual_seed(seed)
    prototypes = 255 * torch.rand(CLASSES, 1, SIZE, SIZE)
    x_train, y_train = read_folders(100, prototypes)
    x_val, y_val = read_folders(50, prototypes)
    mean, std = x_train.mean(), x_train.std()
    x_train = (x_train - mean) / std
    x_val = x_val / 255
    model = build(dropout)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=decay)
    epochs = []
    for _ in range(EPOCHS):
        loss_sum, right = 0.0, 0
        for rows in torch.randperm(len(x_train)).split(BATCH):
            output = model(x_train[rows])
            loss = F.cross_entropy(output, y_train[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            loss_sum += loss.item() * len(rows)
            right += (output.argmax(dim=1) == y_train[rows]).sum().item()
        trained = loss_sum / len(x_train), right / len(x_train)
        epochs.append((*trained, *validate(model, x_val, y_val)))
    sets = {"train": (x_train, y_train), "validation": (x_val, y_val)}
    return {"epochs": epochs, "model": model, "sets": sets}


if __name__ == "__main__":
    print("loss and accuracy")
    run = train(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    for epoch, row in enumerate(run["epochs"], 1):
        print("epoch {}: training {:.2f} {:.3f}".format(epoch, *row), end=", ")
        print("validation {:.2f} {:.3f}".format(*row[2:]))
