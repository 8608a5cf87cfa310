from collections.abc import Callable

import torch
from torch import nn


class NoInit(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 3 * x


class NoForward(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)


class NoSuper(nn.Module):
    def __init__(self) -> None:
        self.layer = nn.Linear(2, 2)


class NoSuperNoLayer(nn.Module):
    def __init__(self) -> None:
        self.factor = 3

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.factor * x


def attempt(step: Callable[[], object]) -> str:
    """``works``, or the kind of error and its message on a line of its own."""
    try:
        step()
    except (AttributeError, NotImplementedError) as error:
        return f"{type(error).__name__}\n    {error}"
    return "works"


if __name__ == "__main__":
    x = torch.ones(1, 2)
    for model in (NoInit, NoForward, NoSuper, NoSuperNoLayer):
        print(model.__name__)
        created = attempt(model)
        print("  create:", created)
        if created == "works":
            print("  call:  ", attempt(lambda model=model: model()(x)))
