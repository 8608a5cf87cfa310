import torch
from torch import Tensor


def blockwise_attention(
    q: Tensor, k: Tensor, v: Tensor, block: int, causal: bool = False
) -> Tensor:
    mean, size = None, None
    positions = torch.arange(k.shape[2], device=q.device)
    for keys, values, at in zip(
        k.split(block, 2), v.split(block, 2), positions.split(block)
    ):
        scores = torch.einsum("bhtd,bhsd->bhts", q.float(), keys.float())
        scores = scores / q.shape[-1] ** 0.5
        if causal:
            seen = at[None, :] <= torch.arange(q.shape[2], device=q.device)[:, None]
            scores = torch.where(seen, scores, -1e9)
        new = scores.logsumexp(-1, keepdim=True)
        part = scores.softmax(-1) @ values.float()
        if mean is None:
            mean, size = part, new
        else:
            both = torch.logaddexp(size, new)
            mean = mean * (size - both).exp() + part * (new - both).exp()
            size = both
    return mean.to(q.dtype)
