from collections.abc import Callable

import torch
from torch import Tensor


def moe(
    x: Tensor, w_gate: Tensor, experts: list[Callable[[Tensor], Tensor]], k: int
) -> tuple[Tensor, Tensor]:
    E, N = len(experts), len(x)
    if not 0 < k <= E:
        raise ValueError("k")
    probs = torch.softmax(x @ w_gate.T, -1)
    top, chosen = probs.sort(dim=-1, descending=True)
    top, chosen = top[:, :k], chosen[:, :k]
    gates = (top / top.sum(-1, keepdim=True)).reshape(-1)
    flat = chosen.reshape(-1)
    order = flat.argsort(stable=True)
    counts = torch.bincount(flat, minlength=E)
    tokens = order // k
    parts = x[tokens].split(counts.tolist())
    done = torch.cat([expert(part) for expert, part in zip(experts, parts)])
    y = torch.zeros_like(x).index_add_(0, tokens, done * gates[order, None])
    aux = sum(E * counts[e] / (N * k) * probs[:, e].mean() for e in range(E))
    return y, aux
