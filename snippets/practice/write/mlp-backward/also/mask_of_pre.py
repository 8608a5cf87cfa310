import torch
from torch import Tensor


def mlp_gradients(
    x: Tensor, y: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor
) -> tuple[Tensor, list[Tensor]]:
    N = x.shape[0]
    pre = torch.addmm(b1, x, w1.t())
    hidden = pre.clamp(min=0)
    logits = torch.addmm(b2, hidden, w2.t())
    shifted = logits - logits.max(dim=1, keepdim=True).values
    total = shifted.exp().sum(dim=1, keepdim=True)
    target = torch.nn.functional.one_hot(y, w2.shape[0]).to(x.dtype)
    loss = ((total.log() - shifted) * target).sum() / N
    delta = (shifted.exp() / total - target) / N
    back = torch.where(pre >= 0, delta.mm(w2), 0.0)
    return loss, [
        back.t().mm(x),
        back.sum(0),
        delta.t().mm(hidden),
        delta.sum(0),
        back.mm(w1),
    ]
