"""Finished hypotheses are set aside, and as many as before run on beside them;
here a finished one keeps its place among the best."""

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
    kept, finished = [([start], 0.0)], []
    for _ in range(max_new):
        running = kept
        sums = step(torch.tensor([ids for ids, _ in running]))  # (n, V)
        sums = sums + torch.tensor([[total] for _, total in running])
        best = sums.flatten().topk(min(2 * beam, sums.numel()))
        candidates = []
        for total, flat in zip(best.values.tolist(), best.indices.tolist()):
            parent, token = divmod(flat, sums.shape[1])
            ended = finished if token == eos else candidates
            ended.append(([*running[parent][0], token], total))
        kept = candidates[:beam]
        if not kept:
            break
    kept = sorted(finished + kept, key=lambda one: one[1], reverse=True)[:beam]
    scored = [(ids, total / (len(ids) - 1) ** alpha) for ids, total in kept]
    return sorted(scored, key=lambda one: one[1], reverse=True)
