import math

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
    trained = [one for one in model.parameters() if one.requires_grad]
    matrices = [one for one in trained if one.ndim >= 2]
    vectors = [one for one in trained if one.ndim < 2]
    groups = [
        {"params": matrices, "weight_decay": decay},
        {"params": vectors, "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr=lr, betas=(0.9, 0.95))
    losses = []
    model.train()
    for step, batch in enumerate(batches):
        if step < warmup:
            factor = (step + 1) / warmup
        else:
            done = (step - warmup) / (len(batches) - warmup)
            factor = 0.1 + 0.45 * (1 + math.cos(math.pi * done))
        for group in optimizer.param_groups:
            group["lr"] = lr * factor
        optimizer.zero_grad()
        loss = model.loss(batch)
        loss.backward()
        nn.utils.clip_grad_norm_(trained, max_norm)
        optimizer.step()
        losses.append(loss.item())
    return losses
