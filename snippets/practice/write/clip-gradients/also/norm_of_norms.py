from collections.abc import Iterable

import torch
from torch import Tensor


def clip_grad_norm(parameters: Iterable[Tensor], max_norm: float) -> Tensor:
    grads = [p.grad for p in parameters]
    grads = [g for g in grads if g is not None]
    if not grads:
        return torch.zeros(())
    norm = torch.norm(torch.stack([torch.norm(g) for g in grads]))
    if norm > max_norm:
        torch._foreach_mul_(grads, (max_norm / norm).item())
    return norm
