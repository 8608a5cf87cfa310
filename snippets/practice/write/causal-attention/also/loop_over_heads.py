import torch
from torch import Tensor


def multi_head_attention(
    x: Tensor,
    w_qkv: Tensor,
    w_out: Tensor,
    n_heads: int,
    keep: Tensor | None = None,
) -> Tensor:
    width = x.shape[-1]
    if width % n_heads != 0:
        raise ValueError("n_heads must divide C")
    depth = width // n_heads
    steps = torch.arange(x.shape[1], device=x.device)
    hidden = (steps[:, None] < steps[None, :])[None]
    if keep is not None:
        hidden = hidden | ~keep[:, None, :]
    heads = []
    for head in range(n_heads):
        rows = torch.arange(head * depth, (head + 1) * depth, device=x.device)
        q, k, v = (x @ w_qkv[rows + part * width].T for part in range(3))
        scores = torch.einsum("btd,bsd->bts", q, k) * depth**-0.5
        scores = scores.masked_fill(hidden, torch.finfo(x.dtype).min)
        heads.append(torch.softmax(scores, dim=-1) @ v)
    return torch.cat(heads, dim=-1) @ w_out.T
