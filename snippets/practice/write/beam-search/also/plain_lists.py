import heapq
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
    for length in range(1, max_new + 1):
        candidates = []
        for total, tokens in kept:
            if tokens[-1] == eos:
                candidates.append((total, tokens))
                continue
            row = step(torch.tensor([tokens], dtype=torch.int64))[0].tolist()
            candidates += [(total + p, [*tokens, i]) for i, p in enumerate(row)]
        kept = heapq.nlargest(beam, candidates)
        if all(len(tokens) <= length or tokens[-1] == eos for _, tokens in kept):
            break
    result = [(path, total / (len(path) - 1) ** alpha) for total, path in kept]
    result.sort(key=lambda pair: -pair[1])
    return result
