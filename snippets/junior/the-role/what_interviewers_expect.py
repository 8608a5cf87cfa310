import copy
import sys
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
X, Y = torch.randn(12, 4), torch.randint(3, (12,))
ALL, LEFT, RIGHT, LARGE, SMALL = (
    slice(0, 12),
    slice(0, 6),
    slice(6, 12),
    slice(0, 9),
    slice(9, 12),
)


def make(*between: nn.Module) -> nn.Sequential:
    """A classifier, (N, 4) -> (N, 3), in training mode, with the same weights on every call."""
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), *between, nn.Linear(8, 3))


def changes(model: nn.Module, action: Callable[[nn.Module], object]) -> bool:
    before = copy.deepcopy(model.state_dict())
    action(model)
    return not all(
        torch.equal(before[name], value)
        for name, value in model.state_dict().items()
    )


def loss(model: nn.Module, rows: slice) -> torch.Tensor:
    return F.cross_entropy(model(X[rows]), Y[rows])


def gradient(model: nn.Module, *batches: slice) -> torch.Tensor:
    for rows in batches:
        loss(model, rows).backward()
    return model[0].weight.grad


def step(model: nn.Module, slope: float) -> None:
    for parameter in model.parameters():
        parameter.grad = torch.full_like(parameter, slope)
    torch.optim.AdamW(model.parameters()).step()


@torch.no_grad()
def validate(model: nn.Module) -> tuple[torch.Tensor, torch.Tensor]:
    return model(X), model(X)


def snapshot(model: nn.Module) -> bool:
    kept = model.state_dict()
    step(model, 1.0)
    return not torch.equal(kept["0.weight"], model[0].weight)


def halves_are_the_whole(*extra: nn.Module) -> bool:
    """Whether the gradients of two equal half batches, averaged, are the gradient of the whole batch."""
    return torch.allclose(
        gradient(make(*extra), LEFT, RIGHT) / 2,
        gradient(make(*extra), ALL),
        atol=1e-6,
    )


PROBES = (
    (
        "junior",
        "backward() changes the weights",
        lambda: changes(make(), lambda model: gradient(model, ALL)),
    ),
    (
        "junior",
        "a second backward() doubles .grad",
        lambda: torch.allclose(
            gradient(make(), ALL, ALL), 2 * gradient(make(), ALL)
        ),
    ),
    (
        "junior",
        "in eval mode, backward() still fills .grad",
        lambda: gradient(make().eval(), ALL) is not None,
    ),
    (
        "junior",
        "no_grad() switches dropout off",
        lambda: torch.equal(*validate(make(nn.Dropout()))),
    ),
    (
        "mid",
        "a weight with a gradient of zero stands still under AdamW",
        lambda: not changes(make(), lambda model: step(model, 0.0)),
    ),
    (
        "mid",
        "the mean of two batch losses is the loss of both, if their sizes differ",
        lambda: torch.allclose(
            (loss(make(), LARGE) + loss(make(), SMALL)) / 2, loss(make(), ALL)
        ),
    ),
    (
        "mid",
        "two equal half batches, averaged, give the gradient of the whole batch",
        lambda: halves_are_the_whole(),
    ),
    (
        "senior",
        "the same with batch norm in the model",
        lambda: halves_are_the_whole(nn.BatchNorm1d(8)),
    ),
    (
        "senior",
        "validating in train mode changes the next checkpoint",
        lambda: changes(make(nn.BatchNorm1d(8)), validate),
    ),
    (
        "senior",
        "a state_dict() that you keep in a variable is a snapshot",
        lambda: snapshot(make()),
    ),
)


def scorecard(answers: str) -> list[str]:
    """A line for each probe, then the score by level; ``answers`` has a y or n for each, or is empty."""
    lines, right = [], {"junior": [], "mid": [], "senior": []}
    for (level, statement, probe), answer in zip(
        PROBES, answers or " " * len(PROBES), strict=True
    ):
        truth = "yn"[not probe()]
        right[level].append(answer == truth)
        lines.append(f"{level:7} {truth} {answer} {statement}")
    return lines + [
        f"{level:7} {sum(marks)} of {len(marks)}"
        for level, marks in right.items()
        if answers
    ]


if __name__ == "__main__":
    print("\n".join(scorecard("".join(sys.argv[1:]))))
