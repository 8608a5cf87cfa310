import torch


def dropout(x, p, training, generator=None):
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"bad p {p}")
    if training:
        odds = torch.full(x.shape, float(p), device=x.device)
        dropped = torch.bernoulli(odds, generator=generator).bool()
        return x.masked_fill(dropped, 0) / max(1 - p, 1e-12)
    return x
