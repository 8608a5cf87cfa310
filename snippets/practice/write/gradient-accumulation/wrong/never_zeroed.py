"""Gradients that were there before enter the step."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def accumulated_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    micro_batches: list[tuple[Tensor, Tensor]],
    ignore_index: int = -100,
) -> float:
    count = sum(int((t != ignore_index).sum()) for _, t in micro_batches)
    total = 0.0
    for inputs, targets in micro_batches:
        logits = model(inputs).flatten(0, 1)  # (b * T, V)
        loss = F.cross_entropy(
            logits, targets.flatten(), ignore_index=ignore_index, reduction="sum"
        )
        loss = loss / max(count, 1)
        loss.backward()
        total += loss.item()
    optimizer.step()
    return total
