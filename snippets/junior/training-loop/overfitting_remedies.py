import torch
import torch.nn.functional as F
from torch import nn


def noisy_sine(count: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """x in [-1, 1], and sin(3x) plus noise of variance 0.25; float32 (count, 1)."""
    generator = torch.Generator().manual_seed(seed)
    x = 2 * torch.rand(count, 1, generator=generator) - 1
    return x, torch.sin(3 * x) + torch.randn(count, 1, generator=generator) / 2


def fit(
    points: int = 20,
    weight_decay: float = 0.0,
    dropout: float = 0.0,
    steps: int = 300,
    seed: int = 2,
) -> list[tuple[int, float, float]]:
    """Fit an MLP with some 4,000 weights.

    Returns:
        For every tenth step: the step, and the losses in eval mode on the
        training points and on 500 held-out points.
    """
    x, y = noisy_sine(points, seed)
    held_out_x, held_out_y = noisy_sine(500, seed=0)
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(1, 64),
        nn.Tanh(),
        nn.Linear(64, 64),
        nn.Tanh(),
        nn.Dropout(dropout),
        nn.Linear(64, 1),
    )
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=0.01, weight_decay=weight_decay
    )
    history = []
    for step in range(1, steps + 1):
        model.train()
        loss = F.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            model.eval()
            with torch.inference_mode():
                losses = (
                    F.mse_loss(model(x), y),
                    F.mse_loss(model(held_out_x), held_out_y),
                )
            history.append((step, losses[0].item(), losses[1].item()))
    return history


if __name__ == "__main__":
    print("after 300 steps   training  held-out   gap   best held-out, at step")
    remedies = {
        "nothing": {},
        "weight_decay=0.01": {"weight_decay": 0.01},
        "weight_decay=1": {"weight_decay": 1.0},
        "weight_decay=10": {"weight_decay": 10.0},
        "dropout=0.5": {"dropout": 0.5},
        "points=200": {"points": 200},
    }
    for name, options in remedies.items():
        history = fit(**options)
        _, training, held_out = history[-1]
        step, _, best = min(history, key=lambda row: row[2])
        gap = held_out - training
        print(
            f"{name:17} {training:8.2f} {held_out:9.2f} {gap:5.2f}",
            f"{best:14.2f} {step:8}",
        )
