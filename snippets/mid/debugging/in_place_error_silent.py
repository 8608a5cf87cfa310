import contextlib

import torch


def gradient_after(change: str) -> float:
    """Gradient of sigmoid at 0, where 0.25 is right.

    Args:
        change: how 1 is added to the output in place, before backward.
    """
    x = torch.zeros(1, requires_grad=True)
    hooks = torch.autograd.graph.saved_tensors_hooks(
        lambda tensor: tensor, lambda tensor: tensor
    )
    with (
        hooks
        if change == "y += 1, saved-tensor hooks"
        else contextlib.nullcontext()
    ):
        y = torch.sigmoid(x)
    if change == "y += 1 under no_grad()":
        with torch.no_grad():
            y += 1
    elif change == "y.detach().add_(1)":
        y.detach().add_(1)
    elif change == "y.data.add_(1)":
        y.data.add_(1)
    elif change == "NumPy view of y":
        y.detach().numpy()[:] += 1
    else:
        y += 1
    y.sum().backward()
    return x.grad.item()


if __name__ == "__main__":
    for change in (
        "y += 1",
        "y += 1 under no_grad()",
        "y.detach().add_(1)",
        "y.data.add_(1)",
        "NumPy view of y",
        "y += 1, saved-tensor hooks",
    ):
        try:
            print(f"{change:28} gradient {gradient_after(change):+.2f}")
        except RuntimeError:
            print(f"{change:28} RuntimeError")
