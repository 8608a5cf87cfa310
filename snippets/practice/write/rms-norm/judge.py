"""Judge of RMSNorm: python judge.py my_solution.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Judge, Solution, close, main, true

INSTEAD = "write the mean of the squares and the root yourself"
judge = Judge(
    __file__,
    names={"rms_norm": "function"},
    forbidden=dict.fromkeys(
        ("rms_norm", "RMSNorm", "layer_norm", "LayerNorm", "native_layer_norm"),
        INSTEAD,
    ),
    unproven="speed and memory",
)


def made(
    shape: tuple[int, ...],
    dtype: str = "float32",
    weight: str = "",
    scale: float = 1.0,
) -> str:
    """The code that makes x and the weight."""
    to = "" if dtype == "float32" else f".to(torch.{dtype})"
    kind = "" if (weight or dtype) == "float32" else f".to(torch.{weight or dtype})"
    times = "" if scale == 1 else f" * {scale:g}"
    size = ", ".join(map(str, shape))
    return f"torch.manual_seed(0)\nx = (torch.randn({size}){times}){to}\nweight = (torch.rand({shape[-1]}) + 0.5){kind}\n"


def expected(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """The formula in float64."""
    x, weight = x.double(), weight.double()
    return (
        x / torch.sqrt((x * x).sum(-1, keepdim=True) / x.shape[-1] + eps) * weight
    )


@judge.group("shapes: any number of leading axes")
def shapes(solution: Solution) -> None:
    for shape in (
        (5,),
        (2,),
        (3, 4),
        (4, 4),
        (7, 1),
        (2, 3, 5),
        (1, 1, 6),
        (2, 1, 3, 2),
    ):
        case = solution.run(made(shape) + "rms_norm(x, weight)")
        close(
            case.got,
            expected(case.x, case.weight).float(),
            1e-5,
            1e-6,
            dtype=torch.float32,
        )


@judge.group("a constant row is not centered, and x need not be contiguous")
def rows(solution: Solution) -> None:
    case = solution.run(
        "x = torch.tensor([[2.0, 2.0, 2.0], [-3.0, -3.0, -3.0]])\nweight = torch.ones(3)\nrms_norm(x, weight)"
    )
    close(case.got, expected(case.x, case.weight).float(), 1e-5, 1e-6)
    case = solution.run(
        made((5, 4)) + "x = x.T\nweight = torch.rand(5) + 0.5\nrms_norm(x, weight)"
    )
    close(case.got, expected(case.x, case.weight).float(), 1e-5, 1e-6)
    case = solution.run(
        made((2, 3, 4)) + "x = x.transpose(0, 1)\nrms_norm(x, weight)"
    )
    close(case.got, expected(case.x, case.weight).float(), 1e-5, 1e-6)


@judge.group("eps is below the root: small rows, and rows of zeros")
def small(solution: Solution) -> None:
    for scale, eps in ((1e-3, ""), (1e-4, ""), (1.0, ", 0.5"), (1.0, ", eps=0.1")):
        case = solution.run(made((3, 4), scale=scale) + f"rms_norm(x, weight{eps})")
        right = expected(
            case.x, case.weight, float(eps.rpartition("=")[2].strip(", ") or 1e-6)
        )
        close(case.got, right.float(), 1e-5, 1e-7)
    case = solution.run(made((2, 3)) + "x[1] = 0.0\nrms_norm(x, weight)")
    close(case.got, expected(case.x, case.weight).float(), 1e-5, 1e-6)


@judge.group("gradients of x and of the weight, also in a row of zeros")
def gradients(solution: Solution) -> None:
    for shape, change in (
        ((5,), ""),
        ((3, 4), ""),
        ((2, 3, 5), ""),
        ((3, 3), "x[1] = 0.0\n"),
    ):
        code = (
            made(shape)
            + change
            + "slope = torch.randn_like(x)\nx.requires_grad_()\nweight.requires_grad_()\n"
        )
        case = solution.run(
            code
            + "torch.autograd.grad(rms_norm(x, weight), (x, weight), slope, allow_unused=True)"
        )
        want = torch.autograd.grad(
            expected(case.x, case.weight),
            (case.x, case.weight),
            case.slope.double(),
        )
        for name, mine, theirs in zip(("x", "weight"), case.got, want, strict=True):
            true(mine is not None, f"no gradient reaches {name}")
            close(mine, theirs, 1e-4, 1e-5, of=f"gradient of {name}")


@judge.group("the dtype of x, computed in at least float32")
def halves(solution: Solution) -> None:
    for dtype, weight, scale, tolerance in (
        ("float16", "float16", 1.0, 2e-3),
        ("float16", "float16", 300.0, 2e-3),
        ("float16", "float32", 1.0, 2e-3),
        ("bfloat16", "bfloat16", 1.0, 1.6e-2),
        ("bfloat16", "float32", 1.0, 1.6e-2),
        ("float32", "bfloat16", 1.0, 1e-5),
        ("float32", "float64", 1.0, 1e-5),
    ):
        case = solution.run(
            made((4, 64), dtype, weight, scale) + "rms_norm(x, weight)"
        )
        close(
            case.got,
            expected(case.x, case.weight),
            tolerance,
            1e-6,
            dtype=case.x.dtype,
        )
    # Rounding of single values averages out over a row, and that of the row's own factor does not.
    case = solution.run(made((16, 512), "bfloat16") + "rms_norm(x, weight)")
    right = expected(case.x, case.weight)
    factor = (case.got.double() * right).sum(-1) / right.square().sum(-1)
    worst = (factor - 1).abs().max().item()
    text = f"a whole row is off by {worst:.2%}: the factor of a row was rounded to bfloat16"
    true(worst < 6e-4, text, case.got)


@judge.group("float64 stays float64")
def wide(solution: Solution) -> None:
    for weight in ("float64", "float32"):
        case = solution.run(made((3, 5), "float64", weight) + "rms_norm(x, weight)")
        right = expected(case.x, case.weight)
        close(case.got, right, 1e-4, 1e-5, dtype=torch.float64)
        worst = (case.got - right).abs().max().item()
        true(worst < 1e-12, f"off by {worst:.0e}: it was not computed in float64")


@judge.group("nothing is made on another device")
def device(solution: Solution) -> None:
    solution.on_meta(made((2, 3, 4)) + "rms_norm(x, weight)")


if __name__ == "__main__":
    main(judge)
