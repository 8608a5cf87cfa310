import math
from collections.abc import Callable

import torch
from torch import Tensor


def beam_search(
    step: Callable[[Tensor], Tensor],
    start: int,
    eos: int,
    beam: int,
    max_new: int,
    alpha: float = 0.0,
) -> list[tuple[list[int], float]]:
    prefixes = torch.full((1, 1), start)
    sums = torch.zeros(1, dtype=torch.float64)
    for _ in range(max_new):
        done = prefixes[:, -1] == eos
        if done.all():
            break
        logp = step(prefixes).double()
        # A finished row has one continuation, which costs nothing: another eos.
        logp[done] = -math.inf
        logp[done, eos] = 0.0
        total = (sums[:, None] + logp).flatten()
        best = total.topk(min(beam, int(total.isfinite().sum())))
        rows = torch.div(best.indices, logp.shape[1], rounding_mode="floor")
        tokens = best.indices % logp.shape[1]
        prefixes = torch.cat([prefixes[rows], tokens[:, None]], dim=1)
        sums = best.values
    results = []
    for row, total in zip(prefixes.tolist(), sums):
        if eos in row:
            row = row[: row.index(eos) + 1]
        results.append((row, (total / (len(row) - 1) ** alpha).item()))
    return sorted(results, key=lambda pair: pair[1], reverse=True)
