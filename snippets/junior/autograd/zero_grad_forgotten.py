# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from torch import nn
from torch.optim import SGD, AdamW, Optimizer


def losses(
    model: nn.Module, optimizer: Optimizer, clear: bool, steps: int
) -> list[float]:
    """Mean squared error before each step of fitting y = 2x on [-1, 1]."""
    x = torch.linspace(-1, 1, 64).unsqueeze(1)
    found = []
    for _ in range(steps):
        if clear:
            optimizer.zero_grad()
        loss = F.mse_loss(model(x), 2 * x)
        found.append(loss.item())
        loss.backward()
        optimizer.step()
    return found


OPTIMIZERS = {
    "SGD": (SGD, {"lr": 0.1}),
    "SGD, momentum 0.9": (SGD, {"lr": 0.1, "momentum": 0.9}),
    "AdamW": (AdamW, {"lr": 0.1}),
}

if __name__ == "__main__":
    for name, (make, options) in OPTIMIZERS.items():
        for clear in (True, False):
            torch.manual_seed(0)
            model = nn.Linear(1, 1)
            curve = losses(
                model, make(model.parameters(), **options), clear, steps=101
            )
            print(f"{name:18}{'cleared' if clear else 'never':8}", end="")
            print(
                "".join(f"{curve[step]:10.1e}" for step in (0, 20, 40, 60, 80, 100))
            )
