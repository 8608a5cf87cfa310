"""The length leaves eos out, which counts as a generated token like the others."""

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
    for _ in range(max_new):
        running = [one for one in kept if one[0][-1] != eos]
        if not running:
            break
        sums = step(torch.tensor([ids for ids, _ in running]))  # (n, V)
        sums = sums + torch.tensor([[total] for _, total in running])
        best = sums.flatten().topk(min(beam, sums.numel()))
        # A finished hypothesis competes with its sum, unchanged.
        candidates = [one for one in kept if one[0][-1] == eos]
        for total, flat in zip(best.values.tolist(), best.indices.tolist()):
            parent, token = divmod(flat, sums.shape[1])
            candidates.append(([*running[parent][0], token], total))
        kept = sorted(candidates, key=lambda one: one[1], reverse=True)[:beam]
    scored = []
    for ids, total in kept:
        length = len(ids) - 1 - (ids[-1] == eos)
        scored.append((ids, total / max(1, length) ** alpha))
    return sorted(scored, key=lambda one: one[1], reverse=True)
