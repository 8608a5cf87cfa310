"""The search goes on when all that are kept are finished, and hands step a batch
without any prefix."""

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
    kept = [([start], 0.0)]
    for length in range(1, max_new + 1):
        running = [one for one in kept if one[0][-1] != eos]
        prefixes = torch.tensor([ids for ids, _ in running], dtype=torch.int64)
        sums = step(prefixes.reshape(len(running), length))  # (n, V)
        sums = sums + torch.tensor([total for _, total in running])[:, None]
        best = sums.flatten().topk(min(beam, sums.numel()))
        # A finished hypothesis competes with its sum, unchanged.
        candidates = [one for one in kept if one[0][-1] == eos]
        for total, flat in zip(best.values.tolist(), best.indices.tolist()):
            parent, token = divmod(flat, sums.shape[1])
            candidates.append(([*running[parent][0], token], total))
        kept = sorted(candidates, key=lambda one: one[1], reverse=True)[:beam]
    scored = [(ids, total / (len(ids) - 1) ** alpha) for ids, total in kept]
    return sorted(scored, key=lambda one: one[1], reverse=True)
