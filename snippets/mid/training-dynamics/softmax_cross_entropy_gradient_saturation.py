from collections.abc import Callable

import torch
import torch.nn.functional as F


def squared_error(logit: torch.Tensor) -> torch.Tensor:
    """Squared error of the sigmoid, for a positive example."""
    return (torch.sigmoid(logit) - 1) ** 2


def cross_entropy(logit: torch.Tensor) -> torch.Tensor:
    """Binary cross-entropy, for a positive example."""
    return F.binary_cross_entropy_with_logits(logit, torch.ones_like(logit))


def gradient(
    loss_function: Callable[[torch.Tensor], torch.Tensor], logit: float
) -> float:
    """Slope of a loss at a logit."""
    at = torch.tensor(logit, requires_grad=True)
    return torch.autograd.grad(loss_function(at), at)[0].item()


def descend(
    loss_function: Callable[[torch.Tensor], torch.Tensor],
    logit: float,
    steps: int,
    lr: float = 1.0,
) -> float:
    """The logit after ``steps`` steps of gradient descent on it."""
    for _ in range(steps):
        logit -= lr * gradient(loss_function, logit)
    return logit


if __name__ == "__main__":
    losses = {"squared error": squared_error, "cross-entropy": cross_entropy}
    print(f"{'gradient at':12}", *losses)
    for logit in (0.0, -2.0, -5.0, -10.0, -20.0):
        slopes = [f"{gradient(loss, logit):+13.1e}" for loss in losses.values()]
        print(f"logit {logit:5.0f}  ", *slopes)
    print("\nfrom logit -10, after 100 steps")
    for name, loss in losses.items():
        print(f"{name}: {descend(loss, -10.0, 100):+.2f}")
