"""If no token counts, the gradient is multiplied by 1 / 0. Times zero that is NaN,
and all parameters become NaN."""

import torch
from torch import Tensor, nn


def accumulated_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    micro_batches: list[tuple[Tensor, Tensor]],
    ignore_index: int = -100,
) -> float:
    count = sum(int((t != ignore_index).sum()) for _, t in micro_batches)
    optimizer.zero_grad()
    total = 0.0
    for inputs, targets in micro_batches:
        logits = model(inputs).flatten(0, 1)  # (b * T, V)
        counts = targets.flatten() != ignore_index
        log_p = logits.log_softmax(dim=-1)
        rows = torch.arange(len(log_p), device=log_p.device)
        losses = -log_p[rows, targets.flatten() * counts]
        loss = (losses * counts).sum() / count
        loss.backward()
        total += loss.item()
    optimizer.step()
    return total
