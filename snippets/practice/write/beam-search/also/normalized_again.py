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
        candidates = [one for one in kept if one[0][-1] == eos]
        if len(candidates) == len(kept):
            break
        for ids, total in kept:
            if ids[-1] == eos:
                continue
            # log_softmax leaves log-probabilities as they are.
            row = step(torch.tensor([ids]))[0].log_softmax(-1)
            candidates += [
                ([*ids, token], total + more)
                for token, more in enumerate(row.tolist())
            ]
        kept = sorted(candidates, key=lambda one: one[1], reverse=True)[:beam]
    scored = [(ids, total / (len(ids) - 1) ** alpha) for ids, total in kept]
    return sorted(scored, key=lambda one: one[1], reverse=True)
