import torch
import torch.nn.functional as F
from torch import Tensor, nn


def accumulated_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    micro_batches: list[tuple[Tensor, Tensor]],
    ignore_index: int = -100,
) -> float:
    counts = [
        (targets != ignore_index).sum().item() for _, targets in micro_batches
    ]
    mean = 0.0
    optimizer.zero_grad(set_to_none=False)
    for count, (inputs, targets) in zip(counts, micro_batches):
        if count == 0:
            continue
        logits = model(inputs)
        loss = F.cross_entropy(
            logits.transpose(1, 2), targets, ignore_index=ignore_index
        )
        weight = count / sum(counts)
        (loss * weight).backward()
        mean += loss.item() * weight
    optimizer.step()
    optimizer.zero_grad()
    return mean
