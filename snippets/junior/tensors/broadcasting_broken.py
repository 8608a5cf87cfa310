import warnings

import torch
from torch import nn


def fit(
    x: torch.Tensor, y: torch.Tensor, steps: int, seed: int = 0
) -> tuple[list[float], torch.Tensor]:
    """Fit ``nn.Linear`` to ``y`` with full-batch SGD.

    Targets of shape (N,) meet predictions of shape (N, 1).

    Returns:
        The loss of every step, and the predictions after the last one, shape (N,).
    """
    torch.manual_seed(seed)
    model = nn.Linear(x.shape[1], 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    criterion = nn.MSELoss()
    losses = []
    for _ in range(steps):
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, model(x).detach().squeeze(1)


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randn(64, 1)
    y = 5 + 2 * x.squeeze(1) + 0.1 * torch.randn(64)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        wrong, constant = fit(x, y, steps=200)
    right, line = fit(x, y.unsqueeze(1), steps=200)

    print("step   loss (N, 1) - (N,)   loss (N, 1) - (N, 1)")
    for step in (0, 10, 20, 50, 100, 199):
        print(f"{step:4} {wrong[step]:20.4f} {right[step]:22.4f}")
    print(f"warnings in 200 steps: {len(caught)}\n")

    variance = y.var(correction=0)
    print(f"targets:             mean {y.mean():.4f}, variance {variance:.4f}")
    print(f"wrong predictions:   from {constant.min():.4f} to {constant.max():.4f}")
    print(f"right predictions:   from {line.min():.4f} to {line.max():.4f}")
    guesses = {
        "mean of the targets": y.mean(),
        "wrong predictions": constant,
        "right predictions": line,
    }
    for name, predictions in guesses.items():
        print(f"MSE, {name:20} {(predictions - y).pow(2).mean():.4f}")
