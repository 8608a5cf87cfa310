import torch


def dropout(x, p, training, generator=None):
    if p < 0 or p > 1:
        raise ValueError("p")
    if not training or p == 0:
        return x.clone()
    if p == 1:
        return x * 0
    mask = torch.empty_like(x).bernoulli_(1 - p, generator=generator)
    return x * mask.div_(1 - p)
