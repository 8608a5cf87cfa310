"""All experts whose probability reaches the k-th largest are used, which are more
than k where probabilities are equal."""

from collections.abc import Callable

import torch
from torch import Tensor


def moe(
    x: Tensor, w_gate: Tensor, experts: list[Callable[[Tensor], Tensor]], k: int
) -> tuple[Tensor, Tensor]:
    if not 1 <= k <= len(experts):
        raise ValueError(f"k is {k}, and there are {len(experts)} experts")
    probs = (x @ w_gate.T).softmax(dim=-1)  # (N, E)
    kept = probs >= probs.topk(k, dim=-1).values[:, -1:]
    gates = probs * kept
    gates = gates / gates.sum(dim=-1, keepdim=True)
    y = torch.zeros_like(x)
    for e, expert in enumerate(experts):
        (token,) = torch.where(kept[:, e])
        y[token] += gates[token, e, None] * expert(x[token])
    share = kept.sum(dim=0) / kept.sum()
    return y, len(experts) * (share * probs.mean(dim=0)).sum()
