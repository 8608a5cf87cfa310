"""The generator itself is kept. It is empty after one pass, so that only the first
step moves anything."""

from collections import defaultdict
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
        self.params = params
        self.lr, self.betas = lr, betas
        self.eps, self.weight_decay = eps, weight_decay
        self.steps = defaultdict(int)
        self.m = defaultdict(float)
        self.v = defaultdict(float)

    @torch.no_grad()
    def step(self) -> None:
        beta1, beta2 = self.betas
        for i, p in enumerate(self.params):
            if p.grad is None:
                continue
            self.steps[i] += 1
            m = self.m[i] = beta1 * self.m[i] + (1 - beta1) * p.grad
            v = self.v[i] = beta2 * self.v[i] + (1 - beta2) * p.grad**2
            m_hat = m / (1 - beta1 ** self.steps[i])
            v_hat = v / (1 - beta2 ** self.steps[i])
            p.mul_(1 - self.lr * self.weight_decay)
            p.sub_(self.lr * m_hat / (v_hat.sqrt() + self.eps))

    def zero_grad(self) -> None:
        for p in self.params:
            p.grad = None
