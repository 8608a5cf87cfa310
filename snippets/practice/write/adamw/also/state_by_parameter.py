from collections.abc import Iterable

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
        self.lr, (self.b1, self.b2) = lr, betas
        self.eps, self.wd = eps, weight_decay
        self.state = {}

    def step(self) -> None:
        for p in self.params:
            if p.grad is not None:
                g = p.grad.detach()
                t, m, v = self.state.get(p, (0, 0.0, 0.0))
                t, m = t + 1, self.b1 * m + (1 - self.b1) * g
                v = self.b2 * v + (1 - self.b2) * g * g
                self.state[p] = t, m, v
                update = m / (1 - self.b1**t)
                update = update / ((v / (1 - self.b2**t)).sqrt() + self.eps)
                p.data -= self.lr * (update + self.wd * p.data)

    def zero_grad(self) -> None:
        for p in self.params:
            if p.grad is not None:
                p.grad.zero_()
