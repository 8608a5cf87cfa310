# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "scikit-learn"]
#
# [tool.warmup]
# output = "measured"
# tolerance = 0.05
# ///
import copy
import math
from collections.abc import Callable, Iterable

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

Loss = Callable[[Tensor, Tensor], Tensor]  # model(x), y: the mean over the batch


def train_epoch(
    model: nn.Module,
    loader: Iterable,
    loss_fn: Loss,
    optimizer: torch.optim.Optimizer,
    device: torch.device | str = "cpu",
) -> float:
    """One pass with updates; the mean loss per sample.

    Args:
        loader: yields x and y, tensors of n samples each.

    Raises:
        ValueError: the loader is empty.
    """
    model.train()
    total, count = 0.0, 0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        loss = loss_fn(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(y)
        count += len(y)
    if not count:
        raise ValueError("the loader is empty")
    return total / count


@torch.no_grad()
def evaluate(
    model: nn.Module,
    loader: Iterable,
    metrics: dict[str, Loss],
    device: torch.device | str = "cpu",
) -> dict[str, float]:
    """Each metric as a mean per sample, in eval mode; see train_epoch."""
    model.eval()
    totals, count = dict.fromkeys(metrics, 0.0), 0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        outputs = model(x)
        for name, metric in metrics.items():
            totals[name] += metric(outputs, y).item() * len(y)
        count += len(y)
    if not count:
        raise ValueError("the loader is empty")
    return {name: total / count for name, total in totals.items()}


def fit(
    model: nn.Module,
    train_loader: Iterable,
    held_out_loader: Iterable,
    loss_fn: Loss,
    optimizer: torch.optim.Optimizer,
    epochs: int,
    metrics: dict[str, Loss] | None = None,
    device: torch.device | str = "cpu",
) -> list[dict[str, float]]:
    """Train, then go back to the weights with the lowest held-out loss.

    The model ends in eval mode. If no held-out loss is finite, it keeps the last
    weights.

    Returns:
        For each epoch "training loss", "held-out loss" and the other metrics.
    """
    metrics = {"held-out loss": loss_fn} | (metrics or {})
    history, best, weights = [], math.inf, None
    for _ in range(epochs):
        loss = train_epoch(model, train_loader, loss_fn, optimizer, device)
        row = evaluate(model, held_out_loader, metrics, device)
        history.append({"training loss": loss} | row)
        if row["held-out loss"] < best:
            best, weights = row["held-out loss"], copy.deepcopy(model.state_dict())
    if weights:
        model.load_state_dict(weights)
    return history


def accuracy(logits: Tensor, y: Tensor) -> Tensor:
    """Share of right answers: logits (n, C), int64 labels (n,)."""
    if y.ndim != 1:
        raise ValueError(f"labels of shape {tuple(y.shape)} instead of (n,)")
    return (logits.argmax(dim=1) == y).float().mean()


def digits() -> tuple[TensorDataset, TensorDataset]:
    """1,797 scans of digits, x in [0, 1] and (n, 64): training, held out."""
    pixels, labels = load_digits(return_X_y=True)
    x, y = torch.tensor(pixels, dtype=torch.float32) / 16, torch.tensor(labels)
    order = torch.randperm(len(x), generator=torch.Generator().manual_seed(0))
    train, test = order[:1200], order[1200:]
    return TensorDataset(x[train], y[train]), TensorDataset(x[test], y[test])


def build_model() -> nn.Module:
    hidden = [nn.Linear(64, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.5)]
    return nn.Sequential(*hidden, nn.Linear(64, 10))


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch.device("cpu")
    train_set, held_out_set = digits()
    loader = DataLoader(train_set, batch_size=64, shuffle=True)
    held_out = DataLoader(held_out_set, batch_size=256)
    model, loss_fn = build_model().to(device), F.cross_entropy
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    metrics = {"accuracy": accuracy}
    history = fit(model, loader, held_out, loss_fn, optimizer, 6, metrics, device)
    for epoch, row in enumerate(history, 1):
        numbers = "  ".join(f"{name} {value:.3f}" for name, value in row.items())
        print(f"epoch {epoch}  {numbers}")
    fair = evaluate(model, loader, {"loss": loss_fn} | metrics, device)
    print(f"training set in eval mode  loss {fair['loss']:.3f}", end="  ")
    print(f"accuracy {fair['accuracy']:.3f}")
