import torch


def gradient(write: str) -> float:
    """Gradient of (20 w)**2 at w = 1, where 800 is right, by one way to write."""
    w = torch.tensor(1.0, requires_grad=True)
    y = w * 2
    if write == "y.mul_(10)":
        y.mul_(10)
    elif write == "under no_grad()":
        with torch.no_grad():
            y.mul_(10)
    elif write == "y.detach()":
        y.detach().mul_(10)
    else:
        y.data.mul_(10)
    assert y.item() == 20
    (y**2).backward()
    return w.grad.item()


if __name__ == "__main__":
    for write in ("y.mul_(10)", "under no_grad()", "y.detach()", "y.data"):
        print(f"{write:16} {gradient(write):.0f}")
