from collections.abc import Callable

import torch
from torch import Tensor, nn


def average_gradients(
    model: nn.Module, all_reduce: Callable[[Tensor], None], world_size: int
) -> None:

    trained = [p for p in model.parameters() if p.requires_grad]
    used = torch.tensor([float(p.grad is not None) for p in trained])
    used = used.to(trained[0].device)
    all_reduce(used)
    for p, count in zip(trained, used.tolist()):
        if count:
            grad = torch.zeros_like(p) if p.grad is None else p.grad.detach()
            all_reduce(grad)
            p.grad = grad.div_(world_size)
