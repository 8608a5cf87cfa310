# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F


def squared_error(logit: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Squared error of the probability; float32 of one shape."""
    return F.mse_loss(logit.sigmoid(), target, reduction="none")


def bce(logit: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Binary cross-entropy of the logit; float32 of one shape."""
    return F.binary_cross_entropy_with_logits(logit, target, reduction="none")


if __name__ == "__main__":
    logit = torch.linspace(-8, 4, 61)
    for label, loss, style in (
        ("BCE with logits", bce, "-"),
        ("squared error of the probability", squared_error, "--"),
    ):
        plt.plot(logit, loss(logit, torch.ones(61)), style, label=label)
        at = torch.tensor(-8.0, requires_grad=True)
        loss(at, torch.tensor(1.0)).backward()
        print(f"{label:33} gradient at logit -8: {at.grad:.3f}")
    plt.xlabel("logit (the answer is yes)")
    plt.ylabel("loss")
    plt.legend()
    plt.show()
