from collections.abc import Callable

import torch
from torch import Tensor


def moe(
    x: Tensor, w_gate: Tensor, experts: list[Callable[[Tensor], Tensor]], k: int
) -> tuple[Tensor, Tensor]:
    if not 1 <= k <= len(experts):
        raise ValueError(f"k is {k}, and there are {len(experts)} experts")
    probs = torch.exp(torch.log_softmax(x @ w_gate.t(), dim=1))
    kept = torch.zeros_like(probs)
    kept.scatter_(1, probs.topk(k, dim=1).indices, 1.0)
    gates = probs * kept
    gates = gates / gates.sum(1, keepdim=True)
    rows = [[] for _ in range(len(x))]
    for e, expert in enumerate(experts):
        mask = kept[:, e] > 0
        if mask.any():
            out = gates[mask, e][:, None] * expert(x[mask])
            for row, value in zip(mask.nonzero()[:, 0].tolist(), out):
                rows[row].append(value)
    y = torch.stack([sum(row) for row in rows])
    return y, len(experts) * (kept.mean(0) / k * probs.mean(0)).sum()
