from collections.abc import Iterable

import torch
from torch import Tensor


class AdamW:
    def __init__(
        self,
        params: Iterable[Tensor],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
    ) -> None:
        self.groups = [
            [p, 0, p.new_zeros(p.shape), p.new_zeros(p.shape)] for p in params
        ]
        self.options = lr, *betas, eps, weight_decay

    @torch.no_grad()
    def step(self) -> None:
        lr, b1, b2, eps, decay = self.options
        for group in self.groups:
            p, t, m, v = group
            if p.grad is None:
                continue
            group[1] = t = t + 1
            m.copy_(b1 * m + (1 - b1) * p.grad)
            v.copy_(b2 * v + (1 - b2) * p.grad.pow(2))
            root = (1 - b2**t) ** 0.5
            rate = lr * root / (1 - b1**t)
            p.copy_(p - lr * decay * p - rate * m / (v.sqrt() + eps * root))

    def zero_grad(self) -> None:
        for group in self.groups:
            group[0].grad = None
