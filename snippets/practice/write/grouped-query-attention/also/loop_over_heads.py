import math

import torch
from torch import Tensor


def grouped_query_attention(
    q: Tensor, k: Tensor, v: Tensor, causal: bool = False
) -> Tensor:
    if q.shape[1] % k.shape[1]:
        raise ValueError("heads do not divide")
    per_group = q.shape[1] // k.shape[1]
    T, S = q.shape[2], k.shape[2]
    heads = []
    for h in range(q.shape[1]):
        keys, values = k[:, h // per_group], v[:, h // per_group]
        scores = q[:, h] @ keys.transpose(1, 2) / math.sqrt(q.shape[-1])
        if causal:
            hidden = torch.ones(T, S, dtype=torch.bool, device=q.device).triu(
                S - T + 1
            )
            scores = scores.masked_fill(hidden, -math.inf)
        heads.append(scores.softmax(-1) @ values)
    return torch.stack(heads, dim=1)
