"""Judge of a 2-d convolution with unfold: python judge.py my_solution.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
import torch.nn.functional as F

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Case, Judge, Solution, close, main, true

INSTEAD = "use unfold and a matrix product"
judge = Judge(
    __file__,
    names={"conv2d": "function"},
    forbidden=dict.fromkeys(
        (
            *(
                f"{name}{n}d"
                for name in ("Conv", "ConvTranspose", "LazyConv", "conv_transpose")
                for n in (1, 2, 3)
            ),
            *(
                "conv1d",
                "conv2d",
                "conv3d",
                "convolution",
                "conv_tbc",
                "_convolution",
                "mkldnn_convolution",
                "cudnn_convolution",
            ),
        ),
        INSTEAD,
    ),
    unproven="speed and memory",
)


def made(
    x: tuple[int, ...], weight: tuple[int, ...], dtype: str = "float32"
) -> str:
    return f"""
torch.manual_seed(0)
x = torch.randn({", ".join(map(str, x))}, dtype=torch.{dtype})
weight = torch.randn({", ".join(map(str, weight))}, dtype=torch.{dtype})
bias = torch.randn({weight[0]}, dtype=torch.{dtype})
"""


def same_as_torch(
    solution: Solution,
    code: str,
    bias: bool = False,
    tolerance: float = 1e-5,
    **options: int,
) -> None:
    """Compare numbers and then gradients with F.conv2d in float64."""
    rest = ", bias" * bias + "".join(
        f", {name}={value}" for name, value in options.items()
    )
    call = f"conv2d(x, weight{rest})"
    case = solution.run(code + call)
    inputs = [case.x, case.weight, case.bias][: 2 + bias]
    right = F.conv2d(*(one.double() for one in inputs), **options)
    close(case.got, right, 10 * tolerance, tolerance, dtype=case.x.dtype)
    names = ["x", "weight", "bias"][: 2 + bias]
    case = solution.run(
        code + "".join(f"{name}.requires_grad_()\n" for name in names) + call
    )
    gradients(case, names, right.numel(), 10 * tolerance, **options)


def gradients(
    case: Case, names: list[str], count: int, tolerance: float, **options: int
) -> None:
    inputs = [getattr(case, name) for name in names]
    slope = torch.arange(count, dtype=torch.float64).cos()
    true(
        case.got.requires_grad,
        "the result has no graph, though x and weight require gradients",
        "graph",
    )
    mine = torch.autograd.grad(
        (case.got.flatten() * slope).sum(), inputs, allow_unused=True
    )
    doubles = [one.detach().double().requires_grad_() for one in inputs]
    theirs = torch.autograd.grad(
        (F.conv2d(*doubles, **options).flatten() * slope).sum(), doubles
    )
    for name, got, want in zip(names, mine, theirs, strict=True):
        true(got is not None, f"no gradient reaches {name}", name)
        close(got, want, 10 * tolerance, tolerance, of=f"gradient of {name}")


@judge.group("a kernel over one channel")
def one_channel(solution: Solution) -> None:
    for x, weight in [
        ((1, 1, 2, 2), (1, 1, 2, 2)),
        ((1, 1, 4, 3), (1, 1, 2, 2)),
        ((1, 1, 5, 6), (1, 1, 2, 3)),
    ]:
        same_as_torch(solution, made(x, weight))


@judge.group("several channels, images and kernels")
def channels(solution: Solution) -> None:
    for x, weight in [
        ((2, 3, 7, 6), (4, 3, 3, 2)),
        ((3, 3, 3, 3), (3, 3, 3, 3)),
        ((2, 5, 4, 3), (2, 5, 1, 1)),
        ((1, 2, 3, 5), (4, 2, 3, 5)),
    ]:
        same_as_torch(solution, made(x, weight))


@judge.group("bias")
def bias(solution: Solution) -> None:
    same_as_torch(solution, made((2, 3, 7, 6), (4, 3, 3, 2)), bias=True)
    same_as_torch(solution, made((1, 2, 5, 4), (3, 2, 3, 2)), bias=True)


@judge.group("stride, padding and dilation, each alone")
def alone(solution: Solution) -> None:
    code = made((2, 3, 8, 7), (4, 3, 3, 2))
    for option, values in (
        ("stride", (2, 3)),
        ("padding", (1, 2)),
        ("dilation", (2, 3)),
    ):
        for value in values:
            same_as_torch(solution, code, **{option: value})


@judge.group("stride, padding and dilation together")
def together(solution: Solution) -> None:
    for stride, padding, dilation in [(2, 1, 1), (3, 2, 2), (2, 0, 3), (1, 3, 2)]:
        code = made((2, 3, 9, 8), (4, 3, 3, 2))
        same_as_torch(
            solution,
            code,
            bias=True,
            stride=stride,
            padding=padding,
            dilation=dilation,
        )
    # The kernel fits only because of the padding.
    same_as_torch(solution, made((2, 3, 2, 1), (4, 3, 3, 2)), padding=1)
    case = solution.run(
        made((1, 2, 6, 5), (3, 2, 2, 3)) + "conv2d(x, weight, None, 2, 1, 2, 1)"
    )
    close(
        case.got,
        F.conv2d(case.x, case.weight, None, 2, 1, 2, 1),
        of="arguments by position",
    )


@judge.group("groups, up to one per channel")
def groups(solution: Solution) -> None:
    for C, outs, count in [(4, 6, 2), (6, 4, 2), (3, 3, 3), (3, 6, 3)]:
        code = made((2, C, 6, 5), (outs, C // count, 3, 2))
        same_as_torch(solution, code, groups=count)
        same_as_torch(
            solution, code, bias=True, stride=2, padding=2, dilation=2, groups=count
        )


@judge.group("groups that do not divide the channels")
def errors(solution: Solution) -> None:
    for C, outs, count in [(3, 4, 2), (4, 3, 2), (4, 6, 3)]:
        solution.refuses(
            made((1, C, 3, 3), (outs, max(1, C // count), 2, 2))
            + f"conv2d(x, weight, groups={count})"
        )


@judge.group("float64, and x and weight that are not contiguous")
def others(solution: Solution) -> None:
    same_as_torch(
        solution,
        made((2, 3, 5, 6), (4, 3, 2, 3), "float64"),
        tolerance=1e-10,
        stride=2,
        padding=1,
    )
    code = (
        made((6, 5, 3, 2), (4, 3, 2, 3))
        + "x = x.permute(3, 2, 1, 0)\nweight = weight.flip(0)\n"
    )
    same_as_torch(solution, code, bias=True, padding=1)
    same_as_torch(solution, code)
    last = "x, weight = (one.to(memory_format=torch.channels_last) for one in (x, weight))\n"
    same_as_torch(solution, made((2, 3, 5, 6), (4, 3, 2, 3)) + last)
    code = made((2, 4, 5, 6), (4, 2, 2, 3)) + last
    same_as_torch(solution, code, stride=2, padding=1, groups=2)


@judge.group("nothing is made on another device")
def device(solution: Solution) -> None:
    solution.on_meta(
        made((2, 4, 6, 5), (6, 2, 3, 2)) + "conv2d(x, weight, bias, 2, 1, 2, 2)"
    )


if __name__ == "__main__":
    main(judge)
