import torch
import torch.nn.functional as F
from torch import nn


def range_test(build: type[torch.optim.Optimizer], steps: int = 120) -> list[float]:
    """Rates, each 1.1 times the last from 1e-4, with the loss before each step.

    Returns:
        The losses; their rates are ``1e-4 * 1.1**i``.
    """
    torch.manual_seed(0)
    x = torch.randn(1024, 16)
    y = (x @ torch.randn(16, 4)).argmax(dim=1)
    model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4))
    optimizer = build(model.parameters(), lr=1e-4)
    losses = []
    for i in range(steps):
        optimizer.param_groups[0]["lr"] = 1e-4 * 1.1**i
        batch = torch.randint(1024, (128,))
        loss = F.cross_entropy(model(x[batch]), y[batch])
        losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return losses


if __name__ == "__main__":
    for build in (torch.optim.SGD, torch.optim.AdamW):
        losses = range_test(build)
        fallen = next(i for i, loss in enumerate(losses) if loss < 0.9 * losses[0])
        lowest = losses.index(min(losses))
        print(
            f"{build.__name__:6} falls from about {1e-4 * 1.1**fallen:.0e},",
            end=" ",
        )
        print(f"lowest loss at about {1e-4 * 1.1**lowest:.0e}")
