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


def digits() -> tuple[TensorDataset, TensorDataset]:
    pixels, labels = load_digits(return_X_y=True)
    x, y = torch.tensor(pixels, dtype=torch.float32) / 16, torch.tensor(labels)
    order = torch.randperm(len(x), generator=torch.Generator().manual_seed(0))
    train, test = order[:1200], order[1200:]
    return TensorDataset(x[train], y[train]), TensorDataset(x[test], y[test])


def run(dropped: str, epochs: int = 6) -> dict[str, float]:
    """Train and evaluate without one line, or with a softmax before the loss.

    Returns:
        "training loss", "loss" and "accuracy" as the loop reports them after the
        last epoch, and "true accuracy": the same model, measured in eval mode.
    """
    torch.manual_seed(0)
    train_set, held_out_set = digits()
    train_loader = DataLoader(train_set, batch_size=64, shuffle=True)
    held_out_loader = DataLoader(held_out_set, batch_size=256)
    hidden = [nn.Linear(64, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.5)]
    model = nn.Sequential(*hidden, nn.Linear(64, 10))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)

    def loss_of(logits: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        if dropped == "+ softmax":
            logits = logits.softmax(dim=1)
        return F.cross_entropy(logits, y)

    def weighted_mean(losses: list[float], sizes: list[int]) -> float:
        if dropped == "* len(y)":
            return sum(losses) / len(losses)
        return sum(loss * size for loss, size in zip(losses, sizes)) / sum(sizes)

    for _ in range(epochs):
        if dropped != "model.train()":
            model.train()
        losses, sizes = [], []
        for x, y in train_loader:
            loss = loss_of(model(x), y)
            if dropped != "zero_grad()":
                optimizer.zero_grad()
            loss.backward()
            if dropped != "step()":
                optimizer.step()
            losses.append(loss.item())
            sizes.append(len(y))
        training_loss = weighted_mean(losses, sizes)

        if dropped != "model.eval()":
            model.eval()
        losses, sizes, correct = [], [], 0
        with torch.inference_mode(dropped != "inference_mode()"):
            for x, y in held_out_loader:
                logits = model(x)
                losses.append(loss_of(logits, y).item())
                sizes.append(len(y))
                correct += (logits.argmax(dim=1) == y).sum().item()

    x, y = held_out_set.tensors
    return {
        "training loss": training_loss,
        "loss": weighted_mean(losses, sizes),
        "accuracy": correct / sum(sizes),
        "true accuracy": (model.eval()(x).argmax(dim=1) == y).float().mean().item(),
    }


if __name__ == "__main__":
    print(
        "without            training loss  held-out loss  accuracy  true accuracy"
    )
    cases = ["nothing", "model.train()", "model.eval()", "zero_grad()", "step()"]
    cases += ["inference_mode()", "* len(y)", "+ softmax"]
    for dropped in cases:
        result = run(dropped)
        print(
            f"{dropped:16} {result['training loss']:15.3f} {result['loss']:14.3f} "
            f"{result['accuracy']:9.3f} {result['true accuracy']:14.3f}"
        )
