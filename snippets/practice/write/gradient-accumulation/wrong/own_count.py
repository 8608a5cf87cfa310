"""Each micro-batch is divided by its own number of tokens, so the gradient is too
large by about the number of micro-batches."""

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
            logits, targets.flatten(), ignore_index=ignore_index, reduction="sum"
        )
        own = int((targets != ignore_index).sum())
        loss = loss / max(own, 1)
        loss.backward()
        total += loss.item()
    optimizer.step()
    return total
