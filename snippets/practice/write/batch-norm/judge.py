"""Judge of batch norm: python judge.py my_solution.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Case, Judge, Solution, close, main, true

INSTEAD = "write the statistics and the normalization yourself"
NAMES = (
    "batch_norm",
    "native_batch_norm",
    "instance_norm",
    "group_norm",
    "layer_norm",
    "InstanceNorm2d",
    "GroupNorm",
)
KINDS = (
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "SyncBatchNorm",
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
)
judge = Judge(
    __file__,
    names={"batch_norm": "function"},
    forbidden=dict.fromkeys((*NAMES, *KINDS), INSTEAD),
    unproven="speed and memory",
)
WRITES = ("running_mean", "running_var")


def made(shape: tuple[int, ...], dtype: str = "float32") -> str:
    """The code that makes the arguments, and copies of the running statistics."""
    of = "" if dtype == "float32" else f", dtype=torch.{dtype}"
    size, C = ", ".join(map(str, shape)), shape[1]
    return f"""
torch.manual_seed(0)
x = 2 * torch.randn({size}{of}) + 3
weight, bias = torch.rand({C}{of}) + 0.5, torch.randn({C}{of})
running_mean, running_var = torch.randn({C}{of}), torch.rand({C}{of}) + 0.5
before = running_mean.clone(), running_var.clone()
at = running_mean.data_ptr(), running_var.data_ptr()
"""


def call(training: bool, options: str = "", x: str = "x") -> str:
    return f"batch_norm({x}, weight, bias, running_mean, running_var, {training}{options})"


def expected(
    case: Case,
    x: Tensor,
    statistics: tuple[Tensor, Tensor],
    training: bool,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """torch's own in float64; it writes into ``statistics``."""
    return F.batch_norm(
        x.double(),
        *statistics,
        case.weight.double(),
        case.bias.double(),
        training,
        momentum,
        eps,
    )


def compare(
    solution: Solution,
    code: str,
    training: bool,
    options: str = "",
    rtol: float = 1e-4,
    atol: float = 1e-5,
) -> Case:
    """Compare the result and the running statistics after one call."""
    case = solution.run(
        code + call(training, options), writes=WRITES if training else ()
    )
    given = eval(f"dict({options.lstrip(', ')})")
    statistics = case.before[0].double(), case.before[1].double()
    right = expected(case, case.x, statistics, training, **given)
    close(case.got, right.to(case.x.dtype), rtol, atol, dtype=case.x.dtype)
    for name, want in zip(WRITES, statistics, strict=True):
        close(getattr(case, name), want.to(case.x.dtype), rtol, atol, of=name)
    moved = (case.running_mean.data_ptr(), case.running_var.data_ptr()) != case.at
    true(not moved, "running_mean or running_var has got new memory", "moved")
    return case


@judge.group("a step of training: the result and the running statistics")
def training(solution: Solution) -> None:
    for shape in (
        (2, 1),
        (3, 2),
        (4, 4),
        (5, 3),
        (2, 4, 3, 4),
        (2, 3, 4, 5),
        (3, 3, 3, 3),
        (1, 2, 1, 3),
    ):
        compare(solution, made(shape), True)
    compare(solution, made((3, 4)), True, ", momentum=0.3, eps=0.1")
    compare(solution, made((2, 3, 2, 4)), True, ", momentum=1.0")


@judge.group("evaluation: the running statistics are read and not written")
def evaluation(solution: Solution) -> None:
    for shape in ((2, 1), (3, 4), (2, 3, 4, 5), (2, 4, 3, 4), (1, 3), (1, 2, 1, 1)):
        compare(solution, made(shape), False)
    compare(solution, made((3, 4)), False, ", momentum=0.3, eps=0.1")


@judge.group("two steps of training, then evaluation")
def steps(solution: Solution) -> None:
    for shape in ((4, 3), (2, 3, 4, 4)):
        code = (
            made(shape)
            + call(True)
            + "\n"
            + call(True, x="x.square()")
            + "\n"
            + call(False)
        )
        case = solution.run(code, writes=WRITES)
        statistics = case.before[0].double(), case.before[1].double()
        expected(case, case.x, statistics, True)
        expected(case, case.x.square(), statistics, True)
        close(case.got, expected(case, case.x, statistics, False).float())


@judge.group("one value per channel raises in training")
def single(solution: Solution) -> None:
    for shape in ((1, 3), (1, 2, 1, 1)):
        solution.refuses(made(shape) + call(True), writes=WRITES)


@judge.group("gradients, through the statistics of the batch, too")
def gradients(solution: Solution) -> None:
    names = ("x", "weight", "bias")
    for shape, mode in (
        ((3, 2), True),
        ((4, 4), True),
        ((2, 3, 4, 2), True),
        ((3, 2), False),
        ((2, 3, 2, 4), False),
    ):
        code = (
            made(shape)
            + "slope = torch.randn_like(x)\nfor one in (x, weight, bias):\n    one.requires_grad_()\n"
        )
        code += f"y = {call(mode)}\ntorch.autograd.grad(y, (x, weight, bias), slope, allow_unused=True)"
        case = solution.run(code, writes=WRITES)
        for name in WRITES:
            true(
                not getattr(case, name).requires_grad,
                f"{name} has become part of the graph",
                name,
            )
        inputs = (case.x, case.weight, case.bias)
        y = expected(
            case, case.x, (case.before[0].double(), case.before[1].double()), mode
        )
        for name, mine, theirs in zip(
            names,
            case.got,
            torch.autograd.grad(y, inputs, case.slope.double()),
            strict=True,
        ):
            true(mine is not None, f"no gradient reaches {name}")
            close(mine, theirs, 1e-3, 1e-5, of=f"gradient of {name}")


@judge.group("a mean that is large against the deviation")
def large(solution: Solution) -> None:
    compare(solution, made((4, 3)) + "x = x + 1000\n", True, "", 1e-3, 1e-3)
    compare(solution, made((2, 2, 3, 4)) + "x = x - 2000\n", True, "", 1e-3, 2e-3)


@judge.group("strides and float64")
def others(solution: Solution) -> None:
    for training in (True, False):
        compare(
            solution,
            made((2, 3, 4, 5)) + "x = x.to(memory_format=torch.channels_last)\n",
            training,
        )
        compare(
            solution, made((3, 5)) + "x = (2 * torch.randn(5, 3)).T\n", training
        )
        compare(solution, made((3, 4), "float64"), training, "", 1e-9, 1e-12)


@judge.group("nothing is made on another device")
def device(solution: Solution) -> None:
    for training in (True, False):
        solution.on_meta(made((2, 3, 4, 5)) + call(training), writes=WRITES)


if __name__ == "__main__":
    main(judge)
