import torch
import torch.nn.functional as F
from torch import nn


def train(zero_at: str, steps: int = 20) -> torch.Tensor:
    """Train a linear model with ``zero_grad()`` called at one place of the loop.

    Args:
        zero_at: "before forward", "before backward", "before step", "after step" or "never".
        steps: number of optimizer steps.

    Returns:
        The trained weight, float32, shape (1, 4). Everything but ``zero_at`` is the same in every call.
    """
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for x, y in zip(torch.randn(steps, 8, 4), torch.randn(steps, 8, 1)):
        if zero_at == "before forward":
            optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        if zero_at == "before backward":
            optimizer.zero_grad()
        loss.backward()
        if zero_at == "before step":
            optimizer.zero_grad()
        optimizer.step()
        if zero_at == "after step":
            optimizer.zero_grad()
    return model.weight.detach()


if __name__ == "__main__":
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    for call in range(1, 4):
        (3 * w).sum().backward()
        print(f"backward() number {call}: grad = {w.grad.tolist()}")

    reference = train("before forward")
    for place in ("before backward", "after step", "before step", "never"):
        print(f"{place:15} same weights: {torch.equal(train(place), reference)}")
