import torch
from torch import Tensor


def mlp_gradients(
    x: Tensor, y: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor
) -> tuple[Tensor, list[Tensor]]:
    n = len(x)
    loss = x.new_zeros(())
    dw1, db1, dw2, db2, dx = (torch.zeros_like(t) for t in (w1, b1, w2, b2, x))
    for i in range(n):
        pre = w1 @ x[i] + b1
        h = torch.relu(pre)
        logits = w2 @ h + b2
        p = torch.softmax(logits, 0)
        loss += (torch.logsumexp(logits, 0) - logits[y[i]]) / n
        d = p.clone()
        d[y[i]] -= 1
        d = d / n
        dw2 += torch.outer(d, h)
        db2 += d
        e = (w2.T @ d) * (pre > 0).to(x.dtype)
        dw1 += torch.outer(e, x[i])
        db1 += e
        dx[i] = w1.T @ e
    return loss, [dw1, db1, dw2, db2, dx]
