from collections.abc import Iterable

import torch
from torch import nn


class Adam:
    """Adam with the arithmetic of ``torch.optim.Adam`` in its default setting.

    It holds real, dense floating-point parameters and changes them in place. A
    parameter whose ``.grad`` is None keeps its value, its state and its counter.

    Args:
        parameters: tensors of any shapes that ``step()`` updates.
        lr: learning rate, the length of a step under a constant gradient.
        betas: decay of the running means of the gradient and of its square.
        eps: added to the root, so that a zero gradient does not divide by zero.
        weight_decay: lambda; added to the gradient as ``lambda * w``.
        decoupled: decay the weight by ``1 - lr * lambda`` instead, as AdamW does.
    """

    def __init__(
        self,
        parameters: Iterable[torch.Tensor],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        decoupled: bool = False,
    ) -> None:
        self.parameters = list(parameters)
        self.lr, self.betas, self.eps = lr, betas, eps
        self.weight_decay, self.decoupled = weight_decay, decoupled
        self.means = [torch.zeros_like(p) for p in self.parameters]
        self.squares = [torch.zeros_like(p) for p in self.parameters]
        self.steps = [0] * len(self.parameters)

    @torch.no_grad()
    def step(self) -> None:
        """Update every parameter that has a gradient."""
        beta1, beta2 = self.betas
        for i, p in enumerate(self.parameters):
            if p.grad is None:
                continue
            g, m, v = p.grad, self.means[i], self.squares[i]
            self.steps[i] += 1
            if self.decoupled:
                p.mul_(1 - self.lr * self.weight_decay)
            elif self.weight_decay:
                g = g.add(p, alpha=self.weight_decay)
            m.lerp_(g, 1 - beta1)
            v.mul_(beta2).addcmul_(g, g, value=1 - beta2)
            root_correction = (1 - beta2 ** self.steps[i]) ** 0.5
            denominator = (v.sqrt() / root_correction).add_(self.eps)
            rate = self.lr / (1 - beta1 ** self.steps[i])
            p.addcdiv_(m, denominator, value=-rate)


if __name__ == "__main__":
    for decoupled in (False, True):
        library_class = torch.optim.AdamW if decoupled else torch.optim.Adam
        models = []
        for build in (Adam, library_class):
            torch.manual_seed(0)
            model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
            unused = nn.Parameter(torch.ones(3))
            options = {"decoupled": True} if build is Adam and decoupled else {}
            optimizer = build(
                [*model.parameters(), unused], lr=0.01, weight_decay=0.1, **options
            )
            for x in torch.randn(100, 32, 8):
                model.zero_grad()
                (model(x).squeeze(1) - x[:, 0] * x[:, 1]).square().mean().backward()
                optimizer.step()
            models.append([*model.parameters(), unused])
        same = all(torch.equal(a, b) for a, b in zip(*models))
        print(f"{library_class.__name__:5} 100 steps, same to the last bit: {same}")
