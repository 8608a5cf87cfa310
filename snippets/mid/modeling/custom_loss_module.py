import torch
from torch import Tensor, nn
from torch.nn import functional as F


def focal_loss(
    logits: Tensor,
    positive: Tensor,
    gamma: float = 2.0,
    alpha: float | None = 0.25,
    reduction: str = "mean",
) -> Tensor:
    """Binary focal loss: alpha_t * (1 - p_t)**gamma * -log(p_t).

    Args:
        logits: floating, any shape, finite.
        positive: bool, the shape of ``logits``: which elements are positives.
        gamma: finite, at least 0; 0 is weighted binary cross-entropy.
        alpha: positives' weight in [0, 1], negatives get the rest; None: no weight.
        reduction: "mean" over all elements (NaN if there are none), "sum", "none".

    Returns:
        Same dtype; a scalar, or the shape of ``logits`` for "none".

    Raises:
        ValueError: another shape; gamma, alpha or reduction not as above.
        TypeError: ``logits`` not floating or ``positive`` not bool.
    """
    if logits.shape != positive.shape:
        raise ValueError(f"shapes {tuple(logits.shape)}, {tuple(positive.shape)}")
    if not logits.is_floating_point() or positive.dtype != torch.bool:
        raise TypeError(f"floating and bool, not {logits.dtype}, {positive.dtype}")
    if not 0 <= gamma < float("inf") or (alpha is not None and not 0 <= alpha <= 1):
        raise ValueError(f"gamma {gamma}, alpha {alpha}")
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"reduction {reduction!r}")
    z = torch.where(positive, logits, -logits)
    loss = (gamma * F.logsigmoid(-z)).exp() * -F.logsigmoid(z)
    if alpha is not None:
        loss = torch.where(positive, alpha * loss, (1 - alpha) * loss)
    return loss if reduction == "none" else getattr(loss, reduction)()


class FocalLoss(nn.Module):
    """``focal_loss`` with its settings kept; it has no parameters."""

    def __init__(self, gamma: float = 2.0, alpha: float | None = 0.25) -> None:
        super().__init__()
        self.gamma, self.alpha = gamma, alpha

    def forward(self, logits: Tensor, positive: Tensor) -> Tensor:
        return focal_loss(logits, positive, self.gamma, self.alpha)


if __name__ == "__main__":
    torch.manual_seed(0)
    logits = torch.randn(8, 3, dtype=torch.float64)
    positive = torch.rand(8, 3) < 0.3
    p = 1 / (1 + (-logits).exp())  # an independent formula, from probabilities
    wanted = torch.where(
        positive, -0.25 * (1 - p) ** 2 * p.log(), -0.75 * p**2 * (1 - p).log()
    )
    print("agrees:", torch.allclose(FocalLoss()(logits, positive), wanted.mean()))
    for target in (positive[:, :1], positive.double()):
        try:
            focal_loss(logits, target)
        except (ValueError, TypeError) as error:
            print(f"{type(error).__name__}: {error}")
