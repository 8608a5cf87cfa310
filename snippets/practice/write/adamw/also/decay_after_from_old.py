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
        self.lr, self.betas, self.eps, self.wd = lr, betas, eps, weight_decay
        self.state = [None] * len(self.params)

    def step(self) -> None:
        with torch.no_grad():
            for i, p in enumerate(self.params):
                if p.grad is None:
                    continue
                if self.state[i] is None:
                    m, v = torch.zeros_like(p), torch.zeros_like(p)
                    self.state[i] = {"t": torch.zeros(()), "m": m, "v": v}
                state = self.state[i]
                state["t"] += 1
                t = state["t"].item()
                state["m"].lerp_(p.grad, 1 - self.betas[0])
                state["v"].lerp_(p.grad.square(), 1 - self.betas[1])
                old = p.clone()
                correct1, correct2 = (1 - beta**t for beta in self.betas)
                root = state["v"].sqrt() / correct2**0.5 + self.eps
                p.addcdiv_(state["m"], root, value=-self.lr / correct1)
                p -= self.lr * self.wd * old

    def zero_grad(self) -> None:
        for p in self.params:
            p.grad = None
