from collections.abc import Iterable, Iterator
from itertools import islice

import torch
import torch.nn.functional as F
from torch import Tensor, nn

Batch = tuple[Tensor, Tensor]


def windows(loader: Iterable[Batch], size: int) -> Iterator[list[Batch]]:
    """Lists of ``size`` (at least 1) micro-batches; the last holds what is left."""
    batches = iter(loader)
    while window := list(islice(batches, size)):
        yield window


def accumulated_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    window: list[Batch],
    weight: Tensor | None = None,
    max_norm: float = float("inf"),
) -> float:
    """One optimizer step with the mean cross-entropy of all labels of a window.

    Args:
        model: maps inputs to logits, float (n, classes). If a layer mixes the
            samples of a batch (batch norm), the step is not that of one batch.
        optimizer: holds every parameter of the model that is not frozen; it
            clears no others, and their old gradients would enter the norm.
        window: inputs and labels, int64 (n,); -100 marks a label to ignore.
        weight: of each class, float (classes,), not all zero for these labels.
        max_norm: limit for the norm of the accumulated gradient.

    Returns:
        The mean loss. If all labels are ignored, 0.0, and nothing is changed.
    """
    labels = torch.cat([y for _, y in window])
    labels = labels[labels != -100]
    if len(labels) == 0:
        return 0.0
    total = len(labels) if weight is None else weight[labels].sum()
    optimizer.zero_grad()
    mean = 0.0
    for x, y in window:
        loss = F.cross_entropy(model(x), y, weight=weight, reduction="sum") / total
        loss.backward()  # frees this micro-batch's graph
        mean += loss.item()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return mean


if __name__ == "__main__":
    torch.manual_seed(0)
    x, y = torch.randn(20, 4), torch.randint(3, (20,))
    y[9:15] = -100
    weight = torch.tensor([1.0, 1.0, 10.0])
    for sizes in ([20], [4, 4, 4, 4, 4], [8, 8, 4], [1] * 20):
        torch.manual_seed(1)
        model = nn.Linear(4, 3)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        batches = list(zip(x.split(sizes), y.split(sizes)))
        for _ in range(10):
            loss = accumulated_step(model, optimizer, batches, weight)
        weights = [round(value, 3) for value in model.weight[0].tolist()]
        print(f"{len(sizes):2} micro-batches: loss {loss:.3f}, weights {weights}")
