from contextlib import nullcontext

import torch
import torch.nn.functional as F
from torch import nn


def fit_adapter(how: str, steps: int = 300) -> tuple[list[float], float]:
    """Train an adapter in front of a frozen body, and a head behind it.

    Args:
        how: "requires_grad=False" or "no_grad()": how the body is kept as it is.
        steps: optimizer steps.

    Returns:
        The loss of every step, and how far the adapter's weight, float32 of shape
        (2, 2), has moved.
    """
    torch.manual_seed(0)
    adapter = nn.Linear(2, 2)
    body = nn.Sequential(nn.Linear(2, 32), nn.Tanh())
    head = nn.Linear(32, 1)
    start = adapter.weight.detach().clone()
    x = 20 * torch.randn(256, 2)  # far from the scale that the body was made for
    y = torch.sin(x.sum(dim=1, keepdim=True) / 20)
    optimizer = torch.optim.Adam(
        nn.ModuleList([adapter, body, head]).parameters(), lr=0.02
    )
    if how == "requires_grad=False":
        body.requires_grad_(False)
    losses = []
    for _ in range(steps):
        with torch.no_grad() if how == "no_grad()" else nullcontext():
            features = body(adapter(x))
        loss = F.mse_loss(head(features), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, (adapter.weight.detach() - start).norm().item()


if __name__ == "__main__":
    print("                     first loss  last loss  adapter moved")
    for how in ("requires_grad=False", "no_grad()"):
        losses, moved = fit_adapter(how)
        print(f"{how:19} {losses[0]:11.2f} {losses[-1]:10.2f} {moved:14.2f}")
