import torch
import torch.nn.functional as F


def descend(
    targets: torch.Tensor, steps: int, lr: float = 5.0
) -> tuple[torch.Tensor, torch.Tensor]:
    """Gradient descent on the logits of one example, from zeros.

    Args:
        targets: (K,), probabilities.

    Returns:
        Logits and gradient after ``steps`` steps, each (K,), float64.
    """
    logits = torch.zeros(len(targets), dtype=torch.float64)
    for _ in range(steps):
        logits -= lr * (torch.softmax(logits, dim=0) - targets)
    logits.requires_grad_()
    (gradient,) = torch.autograd.grad(F.cross_entropy(logits, targets), logits)
    return logits.detach(), gradient


if __name__ == "__main__":
    one_hot = torch.tensor([1, 0, 0], dtype=torch.float64)
    smoothed = 0.9 * one_hot + 0.1 / 3
    for name, targets in (("one-hot", one_hot), ("label smoothing 0.1", smoothed)):
        for steps in (10, 1000, 10000):
            logits, gradient = descend(targets, steps)
            largest = gradient.abs().max().item()
            size = f"{largest:.0e}" if largest > 1e-12 else "below 1e-12"
            gap = (logits[0] - logits[1]).item()
            found = f"gap {gap:7.4f}   largest gradient {size}"
            print(f"{name:19} {steps:6} steps: {found}")
