import copy
import sys
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
X, Y = torch.randn(12, 4), torch.randint(3, (12,))
ALL, LEFT, RIGHT = slice(0, 12), slice(0, 6), slice(6, 12)
LARGE, SMALL = slice(0, 9), slice(9, 12)


def make(*between: nn.Module) -> nn.Sequential:
    """A classifier, (N, 4) -> (N, 3), training, always with these weights."""
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), *between, nn.Linear(8, 3))


def changes(model: nn.Module, action: Callable[[nn.Module], object]) -> bool:
    before = copy.deepcopy(model.state_dict())
    action(model)
    after = model.state_dict()
    return not all(torch.equal(before[name], after[name]) for name in before)


def loss(model: nn.Module, rows: slice) -> torch.Tensor:
    return F.cross_entropy(model(X[rows]), Y[rows])


def mean_of_losses(*batches: slice) -> torch.Tensor:
    return sum(loss(make(), rows) for rows in batches) / len(batches)


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
    """Whether two halves' gradients, averaged, are the whole batch's gradient."""
    halves = gradient(make(*extra), LEFT, RIGHT) / 2
    return torch.allclose(halves, gradient(make(*extra), ALL), atol=1e-6)


STATEMENTS = """\
junior  backward() changes the weights
junior  a second forward and backward(), without clearing, doubles .grad
junior  in eval mode, backward() still fills .grad
junior  no_grad() switches dropout off
mid     a weight whose gradient is zero stands still under AdamW's defaults
mid     the mean of two mean losses is the loss of both, if batch sizes differ
mid     two equal half batches, averaged, give the gradient of the whole batch
senior  the same with batch norm in the model, in train mode
senior  validating in train mode, with batch norm, changes the next checkpoint
senior  a state_dict() that you keep in a variable is a snapshot"""

# What finds out, in the same order.
CHECKS = (
    lambda: changes(make(), lambda model: gradient(model, ALL)),
    lambda: torch.allclose(gradient(make(), ALL, ALL), 2 * gradient(make(), ALL)),
    lambda: gradient(make().eval(), ALL) is not None,
    lambda: torch.equal(*validate(make(nn.Dropout()))),
    lambda: not changes(make(), lambda model: step(model, 0.0)),
    lambda: torch.allclose(mean_of_losses(LARGE, SMALL), loss(make(), ALL)),
    lambda: halves_are_the_whole(),
    lambda: halves_are_the_whole(nn.BatchNorm1d(8)),
    lambda: changes(make(nn.BatchNorm1d(8)), validate),
    lambda: snapshot(make()),
)
PROBES = [
    (*line.split(maxsplit=1), check)
    for line, check in zip(STATEMENTS.splitlines(), CHECKS, strict=True)
]


def scorecard(answers: str) -> list[str]:
    """A line for each probe, then the score by level.

    Args:
        answers: y or n for each statement, upper or lower case; empty for no score.

    Raises:
        ValueError: another letter, or another number of letters.
    """
    answers = answers.lower()
    if answers and (len(answers) != len(PROBES) or set(answers) - set("yn")):
        raise ValueError(f"expected {len(PROBES)} letters, each y or n")
    lines, right = [], {"junior": [], "mid": [], "senior": []}
    given = answers or " " * len(PROBES)
    for (level, statement, probe), answer in zip(PROBES, given, strict=True):
        truth = "yn"[not probe()]
        right[level].append(answer == truth)
        lines.append(f"{level:7} {truth} {answer} {statement}")
    if answers:
        for level, marks in right.items():
            lines.append(f"{level:7} {sum(marks)} of {len(marks)}")
    return lines


if __name__ == "__main__":
    try:
        print("\n".join(scorecard("".join(sys.argv[1:]))))
    except ValueError as error:
        sys.exit(str(error))
