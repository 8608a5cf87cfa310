import torch


def dropout(x, p, training, generator=None):
    if not (p >= 0 and p <= 1):
        raise ValueError(p)
    if training:
        draws = torch.empty(x.shape, device=x.device).uniform_(generator=generator)
        scale = 1.0 if p == 1 else 1 / (1 - p)
        x = torch.where(draws > p, x * scale, torch.zeros_like(x))
    return x
