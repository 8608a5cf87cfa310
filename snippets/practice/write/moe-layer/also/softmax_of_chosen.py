from collections.abc import Callable

import torch
from torch import Tensor


def moe(
    x: Tensor, w_gate: Tensor, experts: list[Callable[[Tensor], Tensor]], k: int
) -> tuple[Tensor, Tensor]:
    n_experts = w_gate.shape[0]
    if k < 1 or k > n_experts:
        raise ValueError("1 <= k <= E")
    logits = torch.nn.functional.linear(x, w_gate)
    values, indices = torch.topk(logits, k)
    weights = torch.softmax(values, dim=1)
    out = torch.zeros_like(x)
    for number in range(n_experts):
        rows, place = (indices == number).nonzero(as_tuple=True)
        if rows.numel() == 0:
            continue
        part = experts[number](x[rows]) * weights[rows, place].unsqueeze(1)
        out = out.index_add(0, rows, part.to(out.dtype))
    counts = torch.nn.functional.one_hot(indices, n_experts).sum(dim=(0, 1))
    f = counts.to(x.dtype) / (x.shape[0] * k)
    p = torch.softmax(logits, dim=1).mean(0)
    return out, n_experts * torch.dot(f, p)
