import torch
from torch import nn


def losses(in_place: bool, steps: int = 50) -> list[float]:
    """Loss of each step of a two-layer network.

    Args:
        in_place: shift the first layer's output by ``+= 1``.
    """
    torch.manual_seed(0)
    first, second = nn.Linear(4, 8), nn.Linear(8, 1)
    optimizer = torch.optim.Adam(
        [*first.parameters(), *second.parameters()], lr=0.01
    )
    x, y = torch.randn(64, 4), torch.randn(64, 1)
    history = []
    for _ in range(steps):
        hidden = first(x)
        if in_place:
            hidden += 1
        else:
            hidden = hidden + 1
        loss = nn.functional.mse_loss(second(nn.functional.gelu(hidden)), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.append(loss.item())
    return history


if __name__ == "__main__":
    for name, in_place in (("hidden += 1", True), ("hidden = hidden + 1", False)):
        history = losses(in_place)
        first, last = history[0], history[-1]
        print(f"{name:20} loss {first:.4f} -> {last:.4f} in {len(history)} steps")
    print(f"every loss the same, bit for bit: {losses(True) == losses(False)}")
