# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "scikit-learn"]
# ///
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn


def confusion(
    predicted: torch.Tensor, labels: torch.Tensor
) -> tuple[int, int, int, int]:
    """True and false positives, false and true negatives; both bool, shape (n,)."""
    return tuple(
        int((guess & truth).sum())
        for guess, truth in (
            (predicted, labels),
            (predicted, ~labels),
            (~predicted, labels),
            (~predicted, ~labels),
        )
    )


def report(name: str, predicted: torch.Tensor, labels: torch.Tensor) -> None:
    """Print accuracy, precision and recall; both bool, shape (n,), n at least 1."""
    tp, fp, fn, tn = confusion(predicted, labels)
    precision = f"{tp / (tp + fp):.3f}" if tp + fp else "  -  "
    recall = f"{tp / (tp + fn):.3f}" if tp + fn else "  -  "
    print(f"{name:24} {(tp + tn) / len(labels):8.3f} {precision:>10} {recall:>8}")


if __name__ == "__main__":
    torch.manual_seed(0)
    pixels, digits = load_digits(return_X_y=True)
    x = torch.tensor(pixels, dtype=torch.float32) / 16
    y = torch.tensor(digits) == 8  # is it an 8?
    train, test = torch.randperm(len(x)).split([1200, 597])

    print(f"{'is it an 8?':24} accuracy  precision   recall")
    report("always no", torch.zeros_like(y[test]), y[test])
    model = nn.Linear(64, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3001):
        loss = F.binary_cross_entropy_with_logits(
            model(x[train]).squeeze(1), y[train].float()
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step in (10, 300, 3000):
            p = model(x[test]).squeeze(1).detach().sigmoid()
            report(f"step {step:4}, loss {loss.item():.3f}", p > 0.5, y[test])
    report("the same, p > 0.2", p > 0.2, y[test])
