import textwrap

import torch
from torch import nn


def two_losses(first_step_before_second_forward: bool) -> torch.Tensor:
    """Train on two losses, one after the other, with a step for each.

    Returns:
        The trained last weight, shape (1, 4).

    Raises:
        RuntimeError: the second graph was built before the first step.
    """
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(8, 3)
    first = model(x).mean()
    if not first_step_before_second_forward:
        second = model(x).square().mean()
    first.backward()
    optimizer.step()
    optimizer.zero_grad()
    if first_step_before_second_forward:
        second = model(x).square().mean()
    second.backward()
    optimizer.step()
    return model[2].weight.detach()


if __name__ == "__main__":
    try:
        two_losses(first_step_before_second_forward=False)
    except RuntimeError as error:
        print(textwrap.fill(f"RuntimeError: {error}", width=84))
    two_losses(first_step_before_second_forward=True)
    print("forward, backward, step, then the second forward: runs")
