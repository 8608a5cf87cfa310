import warnings

import torch
from torch.optim.lr_scheduler import CosineAnnealingLR


def rates(every: int, per_micro_batch: bool) -> list[float]:
    """Rates of the steps in 64 micro-batches, under one cosine for all of them."""
    w = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1.0)
    cosine = CosineAnnealingLR(optimizer, 64 // every)
    used = []
    for i in range(1, 65):
        w.sum().backward()
        if i % every == 0:
            used.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            optimizer.zero_grad()
        if per_micro_batch or i % every == 0:
            cosine.step()
    return used


if __name__ == "__main__":
    for per_micro_batch in (False, True):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            used = rates(8, per_micro_batch)
        print(*[f"{rate:.2f}" for rate in used], f"{len(caught)} warnings")
