from collections.abc import Callable

import torch
from torch import nn


def observe(model: nn.Module, x: torch.Tensor) -> tuple[bool, bool, bool]:
    """Two forward passes of ``model`` in whatever mode it and autograd are.

    Args:
        model: maps x to one tensor.
        x: a batch, float32, of any shape that the model takes.

    Returns:
        Whether the two outputs differ, whether they require grad, and whether the
        passes changed a buffer.
    """
    before = [buffer.clone() for buffer in model.buffers()]
    first, second = model(x), model(x)
    changed = any(
        not torch.equal(old, new) for old, new in zip(before, model.buffers())
    )
    return not torch.equal(first, second), first.requires_grad, changed


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(4, 16),
        nn.BatchNorm1d(16),
        nn.ReLU(),
        nn.Dropout(0.5),
        nn.Linear(16, 2),
    )
    x = torch.randn(32, 4)
    modes: dict[str, Callable] = {"train()": model.train, "eval()": model.eval}
    print(" " * 20 + "dropout active  output requires grad  running stats move")
    for name, set_mode in modes.items():
        for grad in (True, False):
            set_mode()
            with torch.set_grad_enabled(grad):
                random, requires_grad, moved = observe(model, x)
            label = f"{name}" if grad else f"{name} + no_grad()"
            print(f"{label:19} {random!s:15} {requires_grad!s:21} {moved}")
