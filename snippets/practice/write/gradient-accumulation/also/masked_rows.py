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
    keep = [targets.reshape(-1) != ignore_index for _, targets in micro_batches]
    total = sum(mask.sum() for mask in keep).clamp(min=1)
    losses = []
    for mask, (inputs, targets) in zip(keep, micro_batches):
        logits = model(inputs)
        rows = logits.reshape(-1, logits.shape[-1])[mask]
        loss = F.cross_entropy(rows, targets.reshape(-1)[mask], reduction="none")
        loss = (loss / total).sum()
        loss.backward()
        losses.append(loss.detach())
    optimizer.step()
    return torch.stack(losses).sum().item()
