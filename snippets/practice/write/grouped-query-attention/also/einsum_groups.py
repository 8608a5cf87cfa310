import torch
from torch import Tensor


def grouped_query_attention(
    q: Tensor, k: Tensor, v: Tensor, causal: bool = False
) -> Tensor:
    B, Hq, T, D = q.shape
    groups, S = k.shape[1], k.shape[2]
    if Hq % groups != 0:
        raise ValueError("the key-value heads must divide the query heads")
    grouped = q.reshape(B, groups, Hq // groups, T, D)
    scores = torch.einsum("bgrtd,bgsd->bgrts", grouped, k) * D**-0.5
    if causal:
        query = torch.arange(S - T, S, device=q.device)
        future = torch.arange(S, device=q.device) > query[:, None]
        scores = scores.masked_fill(future, torch.finfo(q.dtype).min)
    out = torch.einsum("bgrts,bgsd->bgrtd", scores.softmax(-1), v)
    return out.reshape(B, Hq, T, D)
