"""One query at a time, with a running logsumexp."""

import torch


def blockwise_attention(q, k, v, block, causal=False):
    B, H, T, D = q.shape
    out = torch.empty_like(q)
    for t in range(T):
        n = t + 1 if causal else k.shape[2]
        lse = None
        for s in range(0, n, block):
            e = min(n, s + block)
            sc = (k[:, :, s:e].float() @ q[:, :, t, :, None].float()).squeeze(
                -1
            ) / D**0.5
            here = sc.logsumexp(-1)
            mine = (sc - here[..., None]).exp()[..., None, :] @ v[:, :, s:e].float()
            mine = mine.squeeze(-2)
            if lse is None:
                lse, acc = here, mine
            else:
                new = torch.logaddexp(lse, here)
                acc = (
                    acc * (lse - new).exp()[..., None]
                    + mine * (here - new).exp()[..., None]
                )
                lse = new
        out[:, :, t] = acc.to(q.dtype)
    return out
