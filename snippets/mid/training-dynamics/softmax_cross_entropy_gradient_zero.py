import torch
import torch.nn.functional as F


def cross_entropy_gradient(
    logits: torch.Tensor, targets: torch.Tensor
) -> torch.Tensor:
    """Gradient of the mean softmax cross-entropy for the logits.

    Args:
        logits: (N, K), float.
        targets: (N, K), float, each row sums to 1; one-hot for labels.

    Returns:
        (N, K).
    """
    return (torch.softmax(logits, dim=1) - targets) / logits.shape[0]


def autograd_gradient(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """The same from autograd."""
    logits = logits.detach().requires_grad_()
    return torch.autograd.grad(F.cross_entropy(logits, targets), logits)[0]


if __name__ == "__main__":
    torch.manual_seed(0)
    logits = 5 * torch.randn(64, 10, dtype=torch.float64)
    one_hot = F.one_hot(torch.arange(64) % 10, 10).double()
    soft = torch.softmax(torch.randn(64, 10, dtype=torch.float64), dim=1)
    for name, targets in (("one-hot targets", one_hot), ("soft targets", soft)):
        by_hand = cross_entropy_gradient(logits, targets)
        automatic = autograd_gradient(logits, targets)
        error = (by_hand - automatic).abs().max().item()
        same = error < torch.finfo(torch.float64).eps
        print(f"{name:15} p - y and autograd agree to machine precision: {same}")

    print("\nlogits (gap, 0), class 0 is right: gradient for each logit")
    for gap in (5.0, 10.0, 20.0, 80.0, 110.0):
        cells = []
        for dtype in (torch.float32, torch.float64):
            gradient = autograd_gradient(
                torch.tensor([[gap, 0]], dtype=dtype),
                torch.tensor([[1, 0]], dtype=dtype),
            )
            row = [f"{g:+.1e}" if g else "exactly 0" for g in gradient[0].tolist()]
            cells.append("{:>9} {:>9}".format(*row))
        print(f"gap {gap:3.0f}   float32 {cells[0]}   float64 {cells[1]}")
