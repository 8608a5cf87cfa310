import torch
from torch import Tensor, nn


def accumulated_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    micro_batches: list[tuple[Tensor, Tensor]],
    ignore_index: int = -100,
) -> float:
    for p in model.parameters():
        p.grad = None
    summed, tokens = 0.0, 0
    for inputs, targets in micro_batches:
        log_p = model(inputs).log_softmax(dim=-1)
        counts = targets != ignore_index
        picked = log_p.gather(-1, targets.where(counts, 0)[..., None])[..., 0]
        loss = -(picked * counts).sum()
        loss.backward()
        summed += loss.item()
        tokens += counts.sum().item()
    if tokens == 0:
        return 0.0
    with torch.no_grad():
        for p in model.parameters():
            if p.grad is not None:
                p.grad /= tokens
    optimizer.step()
    return summed / tokens
