# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "scikit-learn"]
#
# [tool.warmup]
# output = "measured"
# tolerance = 0.05
# ///
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train_epoch(
    model: nn.Module,
    loader: DataLoader,
    optimizer: torch.optim.Optimizer,
    device: torch.device,
) -> float:
    """One pass with updates over at least one batch; the mean loss per sample.

    Args:
        model: returns logits, shape (n, C).
        loader: yields x and int64 labels of shape (n,), all in [0, C).

    Raises:
        ValueError: labels have another shape, or the loader is empty.
    """
    model.train()
    total, count = 0.0, 0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        if y.ndim != 1:
            raise ValueError(f"labels of shape {tuple(y.shape)} instead of (n,)")
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(y)
        count += len(y)
    if not count:
        raise ValueError("the loader is empty")
    return total / count


@torch.inference_mode()
def evaluate(
    model: nn.Module, loader: DataLoader, device: torch.device
) -> tuple[float, float]:
    """Mean loss per sample and accuracy, without updates; see train_epoch."""
    model.eval()
    total, correct, count = 0.0, 0, 0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        if y.ndim != 1:
            raise ValueError(f"labels of shape {tuple(y.shape)} instead of (n,)")
        logits = model(x)
        total += F.cross_entropy(logits, y, reduction="sum").item()
        correct += (logits.argmax(dim=1) == y).sum().item()
        count += len(y)
    if not count:
        raise ValueError("the loader is empty")
    return total / count, correct / count


def digits() -> tuple[TensorDataset, TensorDataset]:
    """1,797 scans of digits: training set, held-out set.

    Float32 rows of 64 pixels in [0, 1], int64 labels.
    """
    pixels, labels = load_digits(return_X_y=True)
    x, y = torch.tensor(pixels, dtype=torch.float32) / 16, torch.tensor(labels)
    order = torch.randperm(len(x), generator=torch.Generator().manual_seed(0))
    train, held_out = order[:1200], order[1200:]
    return TensorDataset(x[train], y[train]), TensorDataset(
        x[held_out], y[held_out]
    )


def build_model() -> nn.Module:
    return nn.Sequential(
        nn.Linear(64, 64),
        nn.BatchNorm1d(64),
        nn.ReLU(),
        nn.Dropout(0.5),
        nn.Linear(64, 10),
    )


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch.device("cpu")
    train_set, held_out_set = digits()
    train_loader = DataLoader(train_set, batch_size=64, shuffle=True)
    held_out_loader = DataLoader(held_out_set, batch_size=256)
    model = build_model().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for epoch in range(1, 7):
        train_loss = train_epoch(model, train_loader, optimizer, device)
        loss, accuracy = evaluate(model, held_out_loader, device)
        print(
            f"epoch {epoch}  training loss {train_loss:.3f} ",
            f"held-out loss {loss:.3f}  accuracy {accuracy:.3f}",
        )
    loss, accuracy = evaluate(model, train_loader, device)
    print(f"training set in eval mode     loss {loss:.3f}  accuracy {accuracy:.3f}")
