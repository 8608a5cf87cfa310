# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "scikit-learn"]
# ///
import functools
import statistics

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn

STUDENT_T = 2.776  # 95 percent, two-sided, for five values


@functools.cache
def digits() -> tuple[torch.Tensor, ...]:
    """Training and held-out digits: x (200, 64), y (200,), x (1597, 64), y (1597,)."""
    images, labels = load_digits(return_X_y=True)
    x, y = torch.tensor(images / 16, dtype=torch.float32), torch.tensor(labels)
    training = torch.arange(len(y)) % 9 == 0
    return x[training], y[training], x[~training], y[~training]


def accuracy(seed: int, label_smoothing: float, steps: int = 100) -> float:
    """Train a small network and score it on the held-out digits, in percent; the seed sets weights and batches."""
    x_train, y_train, x_test, y_test = digits()
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9)
    for batch in torch.randint(len(y_train), (steps, 32)):
        loss = F.cross_entropy(
            model(x_train[batch]), y_train[batch], label_smoothing=label_smoothing
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.inference_mode():
        return 100 * (model(x_test).argmax(dim=1) == y_test).float().mean().item()


def interval(values: list[float]) -> tuple[float, float]:
    """Mean of five runs and the half-width of its 95 percent interval."""
    half_width = STUDENT_T * statistics.stdev(values) / len(values) ** 0.5
    return statistics.mean(values), half_width


if __name__ == "__main__":
    plain = [accuracy(seed, 0.0) for seed in range(5)]
    smooth = [accuracy(seed, 0.2) for seed in range(5)]
    gains = [new - old for new, old in zip(smooth, plain)]
    print(
        f"report 1, one seed: plain {plain[0]:.1f}, label smoothing {smooth[0]:.1f}, gain {gains[0]:+.1f}"
    )
    print("report 2, five seeds")
    for name, values in (
        ("plain", plain),
        ("label smoothing", smooth),
        ("gain", gains),
    ):
        runs = " ".join(f"{value:5.1f}" for value in values)
        mean, half_width = interval(values)
        print(f"  {name:16} {runs}   mean {mean:5.1f} ± {half_width:.1f}")
