"""Judge of gradient clipping: python judge.py my_solution.py"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Case, Judge, Solution, close, main, true

INSTEAD = "compute the norm and scale the gradients yourself"
judge = Judge(
    __file__,
    names={"clip_grad_norm": "function"},
    forbidden={
        "clip_grad_norm_": INSTEAD,
        "clip_grad_value_": INSTEAD,
        "clip_grads_with_norm_": INSTEAD,
        "get_total_norm": INSTEAD,
    },
    unproven="speed",
)


def made(
    shapes: str,
    max_norm: float,
    scale: float = 1.0,
    change: str = "",
    given: str = "params",
) -> str:
    """The code that makes parameters with gradients, and clips these."""
    change = f"\n{change}" if change else ""
    return f"""
torch.manual_seed(0)
params = [torch.randn(shape).requires_grad_() for shape in {shapes}]
for p in params:
    p.grad = {scale} * torch.randn(p.shape){change}
before = [None if p.grad is None else p.grad.clone() for p in params]
clip_grad_norm({given}, {max_norm})"""


def check(
    solution: Solution, *args: object, tolerance: float = 1e-5, **made_of: object
) -> Case:
    """Compare the norm and the gradients of a case."""
    case = solution.run(made(*args, **made_of))
    values = [
        value
        for grad in case.before
        if grad is not None
        for value in grad.double().flatten().tolist()
    ]
    norm = math.sqrt(sum(value * value for value in values))
    true(
        isinstance(case.got, Tensor),
        f"returned {type(case.got).__name__}, expected a 0-dim tensor",
        case.got,
    )
    close(
        case.got,
        torch.tensor(norm, dtype=torch.float64),
        max(tolerance, 1e-4),
        0.0,
        of="norm",
    )
    for i, (p, before) in enumerate(zip(case.params, case.before, strict=True)):
        if before is None:
            true(
                p.grad is None,
                f"gradient {i} was None, and is not any more",
                p.grad,
            )
            continue
        true(p.grad is not None, f"gradient {i} is None afterwards")
        of = f"gradient {i}, norm {norm:.4g}, max_norm {args[1]}"
        if norm > args[1]:
            close(
                p.grad,
                (before.double() * (args[1] / norm)).to(before.dtype),
                max(tolerance, 1e-5),
                0.0,
                dtype=p.dtype,
                of=of,
            )
        else:
            close(p.grad, before, 0.0, 0.0, dtype=p.dtype, of=of)
    return case


@judge.group("one gradient, above max_norm")
def one(solution: Solution) -> None:
    check(solution, "[(1,)]", 0.5)
    check(solution, "[(2, 3)]", 0.5)


@judge.group("several gradients, by the norm of all")
def several(solution: Solution) -> None:
    check(solution, "[(2,), (2,)]", 1.0)
    check(solution, "[(3, 4), (5,), (), (2, 1, 3)]", 1.0, 30.0)
    # Only the norm of all is above.
    check(solution, "[(3,), (3,), (3,)]", 1.7, 0.9)
    # One large and one small: both are scaled by the same factor.
    check(solution, "[(3,), (3,)]", 1.0, 1.0, "params[0].grad *= 100")


@judge.group("below max_norm nothing changes")
def below(solution: Solution) -> None:
    check(solution, "[(3, 4), (5,)]", 100.0)
    check(solution, "[(3,), (3,)]", 1.0, 1e-3)
    check(solution, "[(3,), (3,)]", 1.0, 0.0)


@judge.group("gradients that are None")
def missing(solution: Solution) -> None:
    check(solution, "[(3, 4), (5,), (2,)]", 1.0, 1.0, "params[1].grad = None")
    check(solution, "[(3, 4), (5,), (2,)]", 1.0, 1.0, "params[0].grad = None")


@judge.group("a gradient whose parameter was frozen since")
def frozen(solution: Solution) -> None:
    check(solution, "[(3, 4), (5,)]", 1.0, 1.0, "params[1].requires_grad_(False)")


@judge.group("a generator")
def generator(solution: Solution) -> None:
    check(solution, "[(3, 4), (5,)]", 1.0, 1.0, given="(p for p in params)")
    check(solution, "[(3, 4), (5,)]", 100.0, 1.0, given="(p for p in params)")


@judge.group("no gradient at all")
def nothing(solution: Solution) -> None:
    check(solution, "[(3, 4)]", 1.0, 1.0, "params[0].grad = None")
    check(solution, "[]", 1.0)


@judge.group("float16, bfloat16 and float64")
def dtypes(solution: Solution) -> None:
    for dtype, tolerance in (
        ("float16", 4e-3),
        ("bfloat16", 2e-2),
        ("float64", 1e-5),
    ):
        change = f"params = [p.detach().to(torch.{dtype}).requires_grad_() for p in params]\n"
        change += f"for p in params:\n    p.grad = torch.full_like(p, 300.0, dtype=torch.{dtype}).detach()"
        check(solution, "[(3, 4), (5,)]", 1.0, 1.0, change, tolerance=tolerance)
    change = "params[0] = params[0].detach().half().requires_grad_()\nparams[0].grad = torch.full((3, 4), 300.0).half()"
    check(solution, "[(3, 4), (5,)]", 1.0, 1.0, change, tolerance=4e-3)


@judge.group("gradients that are not contiguous")
def strides(solution: Solution) -> None:
    check(
        solution, "[(3, 4), (5,)]", 1.0, 1.0, "params[0].grad = torch.randn(4, 3).T"
    )


@judge.group("nothing is made on another device")
def device(solution: Solution) -> None:
    code = """
layer = nn.Linear(3, 2)
for p in layer.parameters():
    p.grad = torch.ones(p.shape)
clip_grad_norm(layer.parameters(), 1.0)"""
    solution.on_meta(code)


if __name__ == "__main__":
    main(judge)
