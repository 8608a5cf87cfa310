import torch
from torch import Tensor


def blockwise_attention(
    q: Tensor, k: Tensor, v: Tensor, block: int, causal: bool = False
) -> Tensor:
    B, H, T, D = q.shape
    S = k.size(2)
    m = torch.full((B, H, T), torch.finfo(torch.float32).min, device=q.device)
    norm = torch.zeros_like(m)
    acc = torch.zeros(B, H, T, D, device=q.device)
    for s in range(0, S, block):
        e = min(s + block, S)
        scores = (q.float() @ k[:, :, s:e].float().mT) * D**-0.5
        if causal:
            hidden = torch.ones(T, e - s, device=q.device).triu(1 - s).bool()
            scores.masked_fill_(hidden, -1e30)
        old = m.clone()
        torch.maximum(m, scores.amax(-1), out=m)
        old.sub_(m).exp_()
        scores.sub_(m[..., None]).exp_()
        norm.mul_(old).add_(scores.sum(-1))
        acc.mul_(old[..., None]).add_(scores @ v[:, :, s:e].float())
    acc /= norm[..., None]
    return acc.to(q.dtype)
