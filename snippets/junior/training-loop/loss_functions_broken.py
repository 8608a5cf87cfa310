# /// script
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# output = "measured"
# tolerance = 0.05
# ///
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import nn


def bce(logits: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return F.binary_cross_entropy_with_logits(logits.squeeze(1), y)


def cross_entropy_of_a_column(
    logits: torch.Tensor, y: torch.Tensor
) -> torch.Tensor:
    return F.cross_entropy(logits, y.unsqueeze(1))


def cross_entropy_of_a_vector(
    logits: torch.Tensor, y: torch.Tensor
) -> torch.Tensor:
    return F.cross_entropy(logits.squeeze(1), y)


def data() -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    x = torch.randn(256, 5)
    return x, (x[:, 0] + x[:, 1] / 2 > 1).float()


def train(loss_function: Callable, steps: int = 200) -> tuple[float, float, bool]:
    """Fit a classifier with one logit.

    Returns:
        Its first loss, its last loss, and whether the last one changes if every
        logit rises by 3.
    """
    x, y = data()
    model = nn.Linear(5, 1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.03)
    losses = []
    for _ in range(steps):
        loss = loss_function(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    z = model(x)
    return (
        losses[0],
        losses[-1],
        not torch.allclose(loss_function(z, y), loss_function(z + 3, y)),
    )


if __name__ == "__main__":
    print(
        f"{'prediction, target: loss':34} first loss  last loss  changes with + 3"
    )
    for name, loss_function in (
        ("(256,), (256,): BCE with logits", bce),
        ("(256, 1), (256, 1): cross-entropy", cross_entropy_of_a_column),
        ("(256,), (256,): cross-entropy", cross_entropy_of_a_vector),
    ):
        first, last, changes = train(loss_function)
        print(f"{name:34} {first:10.2f} {last:10.2f}  {changes}")
