import torch
import torch.nn.functional as F
from torch import nn


def final_loss(zero_at: str, steps: int = 60, momentum: float = 0.0) -> float:
    """Mean squared error after fitting y = 2x with SGD.

    Args:
        zero_at: place of ``zero_grad()``: before backward, before step, or never.
    """
    torch.manual_seed(0)
    x = torch.linspace(-1, 1, 64).unsqueeze(1)
    y = 2 * x
    model = nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=momentum)
    for _ in range(steps):
        loss = F.mse_loss(model(x), y)
        if zero_at == "before backward":
            optimizer.zero_grad()
        loss.backward()
        if zero_at == "before step":
            optimizer.zero_grad()
        optimizer.step()
    return F.mse_loss(model(x), y).item()


if __name__ == "__main__":
    print(f"untrained                     {final_loss('never', steps=0):.4f}")
    print(f"zeroed before backward()      {final_loss('before backward'):.4f}")
    print(f"zeroed between the two calls  {final_loss('before step'):.4f}")
    print(f"never zeroed                  {final_loss('never'):.4f}")
    momentum = final_loss("before backward", momentum=1.0)
    print(f"zeroed, but momentum=1.0      {momentum:.4f}")
