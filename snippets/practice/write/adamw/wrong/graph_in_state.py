"""The state comes from tensors that require gradients and is kept with its graph,
so memory grows with every step."""

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
        self.params = list(params)
        self.lr, self.betas = lr, betas
        self.eps, self.weight_decay = eps, weight_decay
        self.steps = [0 for _ in self.params]
        self.m = [torch.zeros_like(p) for p in self.params]
        self.v = [torch.zeros_like(p) for p in self.params]

    def step(self) -> None:
        beta1, beta2 = self.betas
        for i, (p, m, v) in enumerate(zip(self.params, self.m, self.v)):
            if p.grad is None:
                continue
            self.steps[i] += 1
            m = self.m[i] = beta1 * m + (1 - beta1) * p.grad + 0 * p
            v = self.v[i] = beta2 * v + (1 - beta2) * p.grad**2
            m_hat = m / (1 - beta1 ** self.steps[i])
            v_hat = v / (1 - beta2 ** self.steps[i])
            p.data.mul_(1 - self.lr * self.weight_decay)
            p.data.sub_(self.lr * m_hat / (v_hat.sqrt() + self.eps))

    def zero_grad(self) -> None:
        for p in self.params:
            p.grad = None
