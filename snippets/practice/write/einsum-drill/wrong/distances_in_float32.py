"""The distances are computed in float32, so float64 points lose their digits."""

import torch
from torch import Tensor


def pairwise_distance(a: Tensor, b: Tensor) -> Tensor:
    dtype, a, b = a.dtype, a.float(), b.float()
    squares = a.square().sum(dim=1)[:, None] + b.square().sum(dim=1)
    return (
        (squares - 2 * a @ b.T).clamp(min=0).to(dtype)
    )  # rounding may be negative


def last_hidden(h: Tensor, lengths: Tensor) -> Tensor:
    return h[torch.arange(len(h), device=h.device), lengths - 1]


def segment_mean(x: Tensor, ids: Tensor, n: int) -> Tensor:
    sums = x.new_zeros(n, x.shape[1]).index_add(0, ids, x)
    counts = torch.bincount(ids, minlength=n)[:, None]
    return sums / counts.clamp(min=1)


def relative_bias(table: Tensor, t: int) -> Tensor:
    i = torch.arange(t, device=table.device)
    return table[i[:, None] - i + t - 1].permute(2, 0, 1)


def packed_mask(doc: Tensor) -> Tensor:
    return (doc[:, :, None] == doc[:, None, :]).tril()


def windows(x: Tensor, size: int) -> Tensor:
    return x.unfold(1, size, 1)
