import copy
from collections.abc import Callable

import torch
from torch import nn


def saved_for_backward(
    compute: Callable[[], torch.Tensor], model: nn.Module
) -> tuple[torch.Tensor, int]:
    """Run ``compute`` and count what autograd keeps of it.

    Args:
        compute: returns a tensor of any shape and dtype.
        model: its weights do not count: they are in memory anyway.

    Returns:
        The tensor, and the bytes saved for backward. Shared memory counts once.
    """
    weights = {
        parameter.untyped_storage().data_ptr() for parameter in model.parameters()
    }
    saved: dict[int, int] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in weights:
            saved[storage.data_ptr()] = storage.nbytes()
        return tensor.detach()

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        result = compute()
    return result, sum(saved.values())


if __name__ == "__main__":
    model = nn.Sequential(
        nn.Linear(64, 256),
        nn.ReLU(),
        nn.Linear(256, 256),
        nn.ReLU(),
        nn.Linear(256, 10),
    )
    frozen = copy.deepcopy(model).requires_grad_(False)
    x = torch.randn(128, 64)
    print("                         requires_grad  bytes saved")
    for name, compute in {
        "model(x)": lambda: model(x),
        "in no_grad()": torch.no_grad()(lambda: model(x)),
        "in inference_mode()": torch.inference_mode()(lambda: model(x)),
        "all weights frozen": lambda: frozen(x),
        "model(x).detach()": lambda: model(x).detach(),
        "model(x).argmax(dim=1)": lambda: model(x).argmax(dim=1),
        "model(x.detach())": lambda: model(x.detach()),
    }.items():
        result, size = saved_for_backward(compute, model)
        print(f"{name:24} {result.requires_grad!s:13} {size:>12,}")
