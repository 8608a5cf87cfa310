import math

import torch
import torch.nn.functional as F
from torch import nn


def epochs_to(
    target: float, batch: int, rate: float, seed: int = 0, most: int = 60
) -> float:
    """Epochs of SGD until the validation loss is at most ``target``.

    Args:
        batch: rows of one optimizer step, of all GPUs together.
        most: epochs after which it stops.

    Returns:
        The number of whole epochs, or infinity if the loss did not get there.
    """
    torch.manual_seed(seed)
    teacher = nn.Sequential(nn.Linear(20, 25), nn.Tanh(), nn.Linear(25, 20))
    model = nn.Sequential(nn.Linear(20, 25), nn.ReLU(), nn.Linear(25, 20)).double()
    x = torch.randn(9000, 20, dtype=torch.float64)
    with torch.no_grad():
        y = teacher.double()(x) + torch.randn(9000, 20) / 10
    for epoch in range(1, most + 1):
        for rows in torch.randperm(8000).split(batch):
            model.zero_grad()
            F.mse_loss(model(x[rows]), y[rows]).backward()
            with torch.no_grad():
                for weight in model.parameters():
                    weight -= rate * weight.grad
        with torch.no_grad():
            if F.mse_loss(model(x[8000:]), y[8000:]) <= target:
                return epoch
    return math.inf


if __name__ == "__main__":
    print("GPUs  rate  validation   epochs  MFLOP an epoch  in all  speed-up")
    for gpus, rate, validation in (
        (1, 0.1, "rank 0"),
        (8, 0.1, "rank 0"),
        (8, 0.8, "rank 0"),
        (8, 0.8, "all ranks"),
    ):
        epochs = epochs_to(0.03, batch=25 * gpus, rate=rate)
        epoch = 40 / gpus + (2 if validation == "rank 0" else 2 / gpus)
        if gpus == 1:
            alone = epochs * epoch
        print(
            f"{gpus:4}{rate:6}  {validation:12}{epochs:7}{epoch:16.2f}"
            f"{epochs * epoch:8.2f}{alone / (epochs * epoch):10.1f}"
        )
