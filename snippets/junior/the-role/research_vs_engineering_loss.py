import torch
import torch.nn.functional as F


def focal_loss_as_published(
    logits: torch.Tensor, targets: torch.Tensor, gamma: float = 2.0
) -> torch.Tensor:
    """Binary focal loss, -(1 - p_t)**gamma * log(p_t), from probabilities.

    Args:
        logits: floating point, shape (N,).
        targets: 0 or 1, same dtype and shape.

    Returns:
        The mean over the batch, a scalar.
    """
    p = torch.sigmoid(logits)
    p_t = targets * p + (1 - targets) * (1 - p)
    return (-((1 - p_t) ** gamma) * torch.log(p_t)).mean()


def focal_loss(
    logits: torch.Tensor, targets: torch.Tensor, gamma: float = 2.0
) -> torch.Tensor:
    """The same loss, from log-probabilities, for one logit or more.

    Loss and gradient are finite, for gamma >= 0, unless ``gamma`` times a logit or
    the sum of the logits overflows in their dtype.
    """
    signed = (2 * targets - 1) * logits
    weight = (gamma * F.logsigmoid(-signed)).exp()
    return (-weight * F.logsigmoid(signed)).mean()


if __name__ == "__main__":
    for loss in (focal_loss_as_published, focal_loss):
        torch.manual_seed(0)
        logits = torch.randn(6, dtype=torch.float64, requires_grad=True)
        targets = torch.tensor([0.0, 1.0, 0.0, 1.0, 1.0, 0.0], dtype=torch.float64)
        checked = torch.autograd.gradcheck(loss, (logits, targets))
        # Sure, and wrong about the first.
        sure = torch.tensor([20.0, 2.0], requires_grad=True)
        value = loss(sure, torch.tensor([0.0, 1.0]))
        value.backward()
        gradient = ", ".join(f"{slope:.4f}" for slope in sure.grad.tolist())
        print(f"{loss.__name__}: gradcheck {checked}")
        print(f"    logits 20, 2: loss {value:.4f}, gradient {gradient}")
