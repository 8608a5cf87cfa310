"""All experts of a token get the gate of its first one."""

from collections.abc import Callable

import torch
from torch import Tensor


def moe(
    x: Tensor, w_gate: Tensor, experts: list[Callable[[Tensor], Tensor]], k: int
) -> tuple[Tensor, Tensor]:
    if not 1 <= k <= len(experts):
        raise ValueError(f"k is {k}, and there are {len(experts)} experts")
    probs = (x @ w_gate.T).softmax(dim=-1)  # (N, E)
    top, chosen = probs.topk(k, dim=-1)  # (N, k) each
    gates = top / top.sum(dim=-1, keepdim=True)
    y = torch.zeros_like(x)
    for e, expert in enumerate(experts):
        token, slot = torch.where(chosen == e)
        y[token] += gates[token, 0, None] * expert(x[token])
    share = chosen.flatten().bincount(minlength=len(experts)) / chosen.numel()
    return y, len(experts) * (share * probs.mean(dim=0)).sum()
