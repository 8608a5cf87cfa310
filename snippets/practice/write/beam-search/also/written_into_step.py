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
    kept = [(0.0, [start])]
    for _ in range(max_new):
        running = [one for one in kept if one[1][-1] != eos]
        if not running:
            break
        table = step(torch.tensor([ids for _, ids in running]))
        # Nobody else reads what step returned.
        table += torch.tensor([total for total, _ in running])[:, None]
        values, flat = table.view(-1).sort(descending=True)
        candidates = [one for one in kept if one[1][-1] == eos]
        for total, at in zip(values[:beam].tolist(), flat[:beam].tolist()):
            row, token = at // table.shape[1], at % table.shape[1]
            candidates.append((total, running[row][1] + [token]))
        candidates.sort(key=lambda one: one[0], reverse=True)
        kept = candidates[:beam]
    scored = [(ids, total / (len(ids) - 1) ** alpha) for total, ids in kept]
    return sorted(scored, key=lambda pair: pair[1], reverse=True)
