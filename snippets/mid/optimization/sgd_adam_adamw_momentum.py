from collections.abc import Iterable

import torch
from torch import nn


class SGD:
    """SGD with the arithmetic of ``torch.optim.SGD`` without dampening.

    It holds real, dense floating-point parameters and changes them in place. A
    parameter whose ``.grad`` is None keeps its value and its buffer.

    Args:
        parameters: tensors of any shapes that ``step()`` updates.
        lr: learning rate, a factor on the gradient.
        momentum: mu in v <- mu v + g; 0 keeps no buffer.
        weight_decay: lambda; added to the gradient as ``lambda * w``.
        nesterov: step along g + mu v instead of v; needs momentum above 0.
    """

    def __init__(
        self,
        parameters: Iterable[torch.Tensor],
        lr: float = 1e-3,
        momentum: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
    ) -> None:
        self.parameters = list(parameters)
        self.lr, self.momentum = lr, momentum
        self.weight_decay, self.nesterov = weight_decay, nesterov
        self.buffers: list[torch.Tensor | None] = [None] * len(self.parameters)

    @torch.no_grad()
    def step(self) -> None:
        """Update every parameter that has a gradient."""
        for i, p in enumerate(self.parameters):
            if p.grad is None:
                continue
            g = p.grad
            if self.weight_decay:
                g = g.add(p, alpha=self.weight_decay)
            if self.momentum:
                v = self.buffers[i]
                v = g.clone() if v is None else v.mul_(self.momentum).add_(g)
                self.buffers[i] = v
                g = g.add(v, alpha=self.momentum) if self.nesterov else v
            p.add_(g, alpha=-self.lr)


if __name__ == "__main__":
    for nesterov in (False, True):
        models = []
        for build in (SGD, torch.optim.SGD):
            torch.manual_seed(0)
            model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
            parameters = [*model.parameters(), nn.Parameter(torch.ones(3))]
            optimizer = build(
                parameters,
                lr=0.01,
                momentum=0.9,
                weight_decay=0.1,
                nesterov=nesterov,
            )
            for x in torch.randn(100, 32, 8):
                model.zero_grad()
                (model(x).squeeze(1) - x[:, 0] * x[:, 1]).square().mean().backward()
                optimizer.step()
            models.append(parameters)
        same = all(torch.equal(a, b) for a, b in zip(*models))
        print(f"nesterov={nesterov!s:5} 100 steps, same to the last bit: {same}")
