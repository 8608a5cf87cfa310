from collections.abc import Callable, Iterable
from typing import Any

import torch


class Lion(torch.optim.Optimizer):
    """Lion: the sign of an interpolated momentum, with decoupled weight decay.

    Args:
        params: parameters or parameter groups, real and floating-point.
        lr: length of every step, at least 0.
        betas: weight of the old momentum in the step's direction, and in the
            momentum that is kept; each in [0, 1).
        weight_decay: lambda; the weight loses the share ``lr * lambda``, first.

    Raises:
        ValueError: an option out of its range.
        RuntimeError: in ``step()``, for a sparse gradient.
    """

    def __init__(
        self,
        params: Iterable[torch.Tensor] | Iterable[dict[str, Any]],
        lr: float = 1e-4,
        betas: tuple[float, float] = (0.9, 0.99),
        weight_decay: float = 0.0,
    ) -> None:
        if lr < 0 or weight_decay < 0:
            raise ValueError(
                f"lr {lr} and weight_decay {weight_decay} must be >= 0"
            )
        if not all(0 <= beta < 1 for beta in betas):
            raise ValueError(f"betas {betas} must be in [0, 1)")
        super().__init__(
            params, {"lr": lr, "betas": betas, "weight_decay": weight_decay}
        )

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> float | None:
        """Update every parameter that has a gradient.

        Args:
            closure: clears the gradients, then computes loss and gradients.

        Returns:
            What the closure returned.
        """
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            lr, (beta1, beta2) = group["lr"], group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                if p.grad.is_sparse:
                    raise RuntimeError("Lion needs dense gradients")
                state = self.state[p]
                if not state:
                    state["momentum"] = torch.zeros_like(p)
                momentum = state["momentum"]
                p.mul_(1 - lr * group["weight_decay"])
                p.add_(momentum.lerp(p.grad, 1 - beta1).sign_(), alpha=-lr)
                momentum.lerp_(p.grad, 1 - beta2)
        return loss


if __name__ == "__main__":
    torch.manual_seed(0)
    gradients = torch.randn(100, 5, dtype=torch.float64)
    start = torch.randn(5, dtype=torch.float64)
    w, unused = start.clone().requires_grad_(), torch.ones(3, requires_grad=True)
    optimizer = Lion([w, unused], lr=0.01, weight_decay=0.5)
    reference, m = start.clone(), torch.zeros_like(start)
    for g in gradients:
        w.grad = g.clone()
        optimizer.step()
        update = (0.9 * m + 0.1 * g).sign()
        reference = reference - 0.01 * (update + 0.5 * reference)
        m = 0.99 * m + 0.01 * g
    print("100 steps, within 1e-12:", torch.allclose(w, reference, 0, 1e-12))
    print("without gradient, kept: ", torch.equal(unused, torch.ones(3)))
    print("state of one parameter: ", [*optimizer.state[w]])
    print("numbers of its state:   ", optimizer.state[w]["momentum"].numel())
