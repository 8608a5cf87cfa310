import torch
import torch.nn.functional as F
from torch import nn


def fine_tune(
    optimizer_first: bool, steps: int = 100
) -> tuple[list[float], bool, bool]:
    """Give a body a new head and train both.

    Returns:
        The losses, whether the body has moved, and whether the head has.
    """
    torch.manual_seed(0)
    x = torch.randn(256, 8)
    y = (x[:, 0] * x[:, 1] > 0).long() + (x[:, 2] > 0).long()
    model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 10))
    if optimizer_first:
        optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    model[2] = nn.Linear(64, 3)
    if not optimizer_first:
        optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    body, head = model[0].weight.detach().clone(), model[2].weight.detach().clone()
    losses = []
    for _ in range(steps):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return (
        losses,
        not torch.equal(body, model[0].weight),
        not torch.equal(head, model[2].weight),
    )


if __name__ == "__main__":
    print(
        "optimizer built      loss at step 1     50    100  body moved  head moved"
    )
    for name, optimizer_first in (
        ("after the new head", False),
        ("before the new head", True),
    ):
        losses, body_moved, head_moved = fine_tune(optimizer_first)
        first, middle, last = losses[0], losses[49], losses[99]
        print(
            f"{name:20} {first:14.3f} {middle:6.3f} {last:6.3f}  {body_moved!s:10}",
            f" {head_moved}",
        )
