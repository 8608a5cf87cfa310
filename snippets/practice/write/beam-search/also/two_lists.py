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
    live, live_sums, done = torch.tensor([[start]]), torch.zeros(1), []
    for _ in range(max_new):
        totals = live_sums[:, None] + step(live)
        V = totals.size(1)
        order = totals.reshape(-1).argsort(descending=True)[:beam]
        done_before, next_live, next_sums = list(done), [], []
        pool = [(total, "done", entry) for total, entry in done_before]
        pool += [(totals.view(-1)[i].item(), "new", i) for i in order]
        pool.sort(key=lambda entry: entry[0], reverse=True)
        done = []
        for total, kind, what in pool[:beam]:
            if kind == "done":
                done.append((total, what))
                continue
            tokens = torch.cat([live[what // V], (what % V)[None]])
            if tokens[-1] == eos:
                done.append((total, tokens))
            else:
                next_live.append(tokens)
                next_sums.append(total)
        if not next_live:
            live, live_sums = live[:0], live_sums[:0]
            break
        live, live_sums = torch.stack(next_live), torch.tensor(next_sums)
    ends = done + list(zip(live_sums.tolist(), live))
    scored = [(t.tolist(), s / (t.numel() - 1) ** alpha) for s, t in ends]
    return sorted(scored, key=lambda pair: -pair[1])
