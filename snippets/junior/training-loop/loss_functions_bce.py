import torch
import torch.nn.functional as F


def two_steps(logit: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Sigmoid, then binary cross-entropy; float32, targets in [0, 1]."""
    return F.binary_cross_entropy(torch.sigmoid(logit), target)


def loss_and_gradient(
    loss_function, logit: float, target: float
) -> tuple[float, float]:
    """Loss of one float32 logit, and its derivative for that logit."""
    at = torch.tensor(logit, requires_grad=True)
    loss = loss_function(at, torch.tensor(target))
    (gradient,) = torch.autograd.grad(loss, at)
    return loss.item(), gradient.item()


if __name__ == "__main__":
    print("              sigmoid, then BCE    BCE with logits")
    print("logit  target   loss  gradient     loss  gradient")
    for logit, target in (
        (5.0, 0.0),
        (10.0, 0.0),
        (20.0, 0.0),
        (120.0, 0.0),
        (-20.0, 1.0),
        (-120.0, 1.0),
    ):
        split, split_gradient = loss_and_gradient(two_steps, logit, target)
        fused, fused_gradient = loss_and_gradient(
            F.binary_cross_entropy_with_logits, logit, target
        )
        print(
            f"{logit:5.0f} {target:7.0f} {split:6.1f} {split_gradient:9.4f}",
            f"{fused:7.1f} {fused_gradient:9.4f}",
        )
