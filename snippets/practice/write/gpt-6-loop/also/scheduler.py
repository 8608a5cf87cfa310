from math import cos, pi

import torch
from torch import Tensor, nn


def fit(
    model: nn.Module,
    batches: list[Tensor],
    lr: float = 1e-3,
    warmup: int = 10,
    decay: float = 0.1,
    max_norm: float = 1.0,
) -> list[float]:
    N = len(batches)

    def factor(s: int) -> float:
        if s < warmup:
            return (s + 1) / warmup
        # It is asked once more than there are steps.
        return 0.1 + 0.9 * (cos(pi * (s - warmup) / max(1, N - warmup)) + 1) / 2

    model.train()
    kinds = {True: [], False: []}
    for one in model.parameters():
        if one.requires_grad:
            one.grad = None
            kinds[one.dim() > 1].append(one)
    optimizer = torch.optim.AdamW(
        [{"params": kinds[True]}, {"params": kinds[False], "weight_decay": 0}],
        lr=lr,
        betas=(0.9, 0.95),
        weight_decay=decay,
    )
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, factor)
    losses = []
    for batch in batches:
        loss = model.loss(batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(kinds[True] + kinds[False], max_norm)
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
        losses.append(float(loss.detach()))
    return losses
