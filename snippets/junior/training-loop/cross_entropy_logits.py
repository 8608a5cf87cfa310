from collections.abc import Callable

import torch
import torch.nn.functional as F

ENDS = {
    "logits": lambda logits: logits,
    "softmax": lambda logits: logits.softmax(dim=1),
    "log_softmax": lambda logits: logits.log_softmax(dim=1),
    "log of softmax": lambda logits: logits.softmax(dim=1).log(),
}


def loss_and_gradient(
    end: str, loss_function: Callable, values: tuple[float, ...], label: int
) -> tuple[float, float]:
    """One example through the end of a model and a loss.

    Args:
        end: what the model returns, a key of ``ENDS``.
        loss_function: takes (1, C) float32 and (1,) int64.
        values: the C logits.

    Returns:
        The loss, and its derivative for the right class's logit.
    """
    logits = torch.tensor([values], requires_grad=True)
    loss = loss_function(ENDS[end](logits), torch.tensor([label]))
    (gradient,) = torch.autograd.grad(loss, logits)
    return loss.item(), gradient[0, label].item()


if __name__ == "__main__":
    print(f"{'':33}sure and right  sure and wrong     wrong by 120")
    print(f"model returns   loss {'loss':>25}  loss  gradient  loss  gradient")
    for loss_function in (F.cross_entropy, F.nll_loss):
        for end in ENDS:
            right, _ = loss_and_gradient(end, loss_function, (10.0, 0.0), 0)
            wrong, pull = loss_and_gradient(end, loss_function, (10.0, 0.0), 1)
            far, far_pull = loss_and_gradient(end, loss_function, (120.0, 0.0), 1)
            print(
                f"{end:15} {loss_function.__name__:16} {right:13.5f} {wrong:5.2f}",
                f"{pull:9.4f} {far:5.1f} {far_pull:9.4f}",
            )
