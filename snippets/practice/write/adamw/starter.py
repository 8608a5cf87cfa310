from collections.abc import Iterable

import torch
from torch import Tensor


class AdamW:
    """Adam with decoupled weight decay.

    A step is p <- p (1 - lr weight_decay) - lr m_hat / (sqrt(v_hat) + eps). m and v
    are the moving averages of the gradient and of its square, and m_hat and v_hat
    are these with bias correction.

    Args:
        params: leaf tensors that require gradients; may be a generator.
        lr, betas, eps, weight_decay: as in torch.optim.AdamW.
    """

    def __init__(
        self,
        params: Iterable[Tensor],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
    ) -> None:
        raise NotImplementedError

    def step(self) -> None:
        """Change each parameter in place, outside of the graph, and no gradient.

        A parameter whose gradient is None is left alone: it does not decay, and the
        step does not count for it.
        """
        raise NotImplementedError

    def zero_grad(self) -> None:
        """Clear the gradients: afterwards each is None or zero."""
        raise NotImplementedError
