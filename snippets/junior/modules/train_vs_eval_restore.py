from collections.abc import Iterator
from contextlib import contextmanager

from torch import nn


@contextmanager
def evaluating(model: nn.Module) -> Iterator[nn.Module]:
    """Eval mode inside; then each submodule's flag is what it was, errors included.

    The flags are set directly: a ``train()`` that does more is not called.
    """
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        yield model
    finally:
        for module, mode in modes:
            module.training = mode


def flags(model: nn.Module) -> list[bool]:
    return [module.training for module in model]


if __name__ == "__main__":
    model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Dropout(0.5))
    model[1].eval()  # a pretrained batch norm, frozen
    print("before            ", flags(model))
    with evaluating(model):
        print("inside            ", flags(model))
    print("after evaluating()", flags(model))
    model.eval()
    model.train()
    print("after train()     ", flags(model))
    model.training = False
    print("training = False  ", flags(model))
