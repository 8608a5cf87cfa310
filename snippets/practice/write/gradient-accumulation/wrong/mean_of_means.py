"""Each micro-batch counts the same, however many tokens it has. A token in a short
one weighs more."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def accumulated_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    micro_batches: list[tuple[Tensor, Tensor]],
    ignore_index: int = -100,
) -> float:
    optimizer.zero_grad()
    total = 0.0
    for inputs, targets in micro_batches:
        logits = model(inputs).flatten(0, 1)  # (b * T, V)
        loss = F.cross_entropy(
            logits, targets.flatten(), ignore_index=ignore_index, reduction="mean"
        )
        loss = loss / len(micro_batches)
        loss.backward()
        total += loss.item()
    optimizer.step()
    return total
