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
    for clear in (False, True):
        for name, (make, options) in OPTIMIZERS.items():
            torch.manual_seed(0)
            model = nn.Linear(1, 1)
            curve = losses(
                model, make(model.parameters(), **options), clear, steps=101
            )
            settles = max(curve[80:]) < 0.01
            print(f"zero_grad: {clear!s:6} {name:18} settles: {settles}")
            if not clear:
                plt.plot(curve, label=name)
    plt.yscale("log")
    plt.xlabel("step, without zero_grad()")
    plt.ylabel("loss")
    plt.legend()
    plt.show()
