import torch
import torch.nn.functional as F


def log_sum_exp(logits: torch.Tensor) -> torch.Tensor:
    """``log(sum(exp(logits)))`` over the last dimension: (..., K) to (...).

    The largest logit must be finite; others may be minus infinity.
    """
    largest = logits.amax(dim=-1, keepdim=True)
    rest = (logits - largest).exp().sum(dim=-1).log()
    return largest.squeeze(-1) + rest


def naive(logits: torch.Tensor, target: int) -> torch.Tensor:
    return -torch.log(logits.exp() / logits.exp().sum())[target]


def log_of_softmax(logits: torch.Tensor, target: int) -> torch.Tensor:
    return -torch.log(torch.softmax(logits, dim=-1))[target]


def stable(logits: torch.Tensor, target: int) -> torch.Tensor:
    return log_sum_exp(logits) - logits[target]


def built_in(logits: torch.Tensor, target: int) -> torch.Tensor:
    return F.cross_entropy(logits, torch.tensor(target))


if __name__ == "__main__":
    for values in ([2.0, 0.0], [90.0, 0.0], [120.0, 0.0], [-200.0, -200.0]):
        print(f"logits {values}, class 1 is right")
        for loss_function in (naive, log_of_softmax, stable, built_in):
            logits = torch.tensor(values, requires_grad=True)
            loss = loss_function(logits, target=1)
            (gradient,) = torch.autograd.grad(loss, logits)
            numbers = ", ".join(f"{value:7.4f}" for value in gradient.tolist())
            loss = f"loss {loss.item():8.4f}"
            print(f"  {loss_function.__name__:15} {loss}   gradient [{numbers}]")
