"""Judge of the backward pass of an MLP: python judge.py my_solution.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Case, Failure, Judge, Solution, close, main, true

INSTEAD = "write the chain rule yourself"
judge = Judge(
    __file__,
    names={"mlp_gradients": "function"},
    forbidden={
        "autograd": INSTEAD,
        "backward": INSTEAD,
        "enable_grad": INSTEAD,
        "set_grad_enabled": INSTEAD,
        "func": INSTEAD,
        "vjp": INSTEAD,
        "jacrev": INSTEAD,
    },
    unproven="speed and memory",
)
NAMES = ("w1", "b1", "w2", "b2", "x")


def made(
    N: int, D: int, H: int, V: int, change: str = "", dtype: str = "float32"
) -> str:
    """The code that makes the arguments and calls the solution, under torch.no_grad()."""
    change = f"\n{change}" if change else ""
    return f"""
torch.manual_seed(0)
x = torch.randn({N}, {D}, dtype=torch.{dtype})
y = torch.randint({V}, ({N},))
w1, b1 = torch.randn({H}, {D}, dtype=torch.{dtype}), torch.randn({H}, dtype=torch.{dtype})
w2, b2 = torch.randn({V}, {H}, dtype=torch.{dtype}), torch.randn({V}, dtype=torch.{dtype}){change}
mlp_gradients(x, y, w1, b1, w2, b2)"""


def expected(case: Case) -> tuple[Tensor, list[Tensor]]:
    """Of autograd in float64."""
    w1, b1, w2, b2, x = inputs = [
        getattr(case, name).detach().double().requires_grad_() for name in NAMES
    ]
    logits = torch.nn.functional.linear(
        torch.relu(torch.nn.functional.linear(x, w1, b1)), w2, b2
    )
    loss = torch.nn.functional.cross_entropy(logits, case.y)
    return loss.detach(), list(torch.autograd.grad(loss, inputs))


def parts(got: object) -> tuple[object, list]:
    """Loss and gradients of a result."""
    if not isinstance(got, (tuple, list)) or len(got) != 2:
        raise Failure(
            f"returned {type(got).__name__}, expected the tuple (loss, [dw1, db1, dw2, db2, dx])",
            got,
        )
    loss, grads = got
    if not isinstance(grads, (tuple, list)) or len(grads) != 5:
        raise Failure("the gradients are not a list of five tensors", grads)
    return loss, list(grads)


def check(
    solution: Solution, *sizes: int, tolerance: float = 1e-4, **made_of: str
) -> Case:
    """Compare the loss and all gradients of a case."""
    case = solution.run(made(*sizes, **made_of), under=torch.no_grad())
    loss, grads = parts(case.got)
    right, want = expected(case)
    close(
        loss,
        right.to(case.x.dtype),
        tolerance,
        tolerance / 100,
        dtype=case.x.dtype,
        of="loss",
    )
    for name, mine, theirs in zip(NAMES, grads, want, strict=True):
        close(
            mine,
            theirs.to(case.x.dtype),
            tolerance,
            tolerance / 100,
            dtype=case.x.dtype,
            of=f"gradient of {name}",
        )
    return case


@judge.group("the loss")
def loss(solution: Solution) -> None:
    for sizes in [(1, 1, 1, 2), (2, 1, 1, 2), (5, 3, 4, 6), (4, 4, 4, 4)]:
        case = solution.run(made(*sizes), under=torch.no_grad())
        close(
            parts(case.got)[0],
            expected(case)[0].float(),
            dtype=torch.float32,
            of="loss",
        )


@judge.group("gradients, with sizes that are all different")
def different(solution: Solution) -> None:
    for sizes in [(2, 1, 3, 4), (5, 3, 4, 6), (3, 6, 5, 2)]:
        check(solution, *sizes)


@judge.group("gradients, with sizes that are all equal")
def equal(solution: Solution) -> None:
    check(solution, 4, 4, 4, 4)
    check(solution, 2, 2, 2, 2)


@judge.group("a single row")
def single(solution: Solution) -> None:
    check(solution, 1, 3, 4, 5)
    check(solution, 1, 1, 1, 2)


@judge.group("logits of a thousand")
def large(solution: Solution) -> None:
    check(solution, 5, 3, 4, 6, change="w2 *= 300.0")


@judge.group("units that are never active, and units that always are")
def dead(solution: Solution) -> None:
    case = check(solution, 5, 3, 4, 6, change="b1[1] = -50.0\nb1[2] = 5.0")
    true(
        not parts(case.got)[1][0][1].any(),
        "a unit that is never active has a gradient",
    )
    check(solution, 5, 3, 4, 6, change="b1[:] = -50.0")


@judge.group("float64, and arguments that are not contiguous")
def dtypes(solution: Solution) -> None:
    check(solution, 5, 3, 4, 6, dtype="float64", tolerance=1e-9)
    check(solution, 4, 4, 4, 4, change="x, w1, w2 = x.T, w1.T, w2.T")


@judge.group("nothing is made on another device")
def device(solution: Solution) -> None:
    solution.on_meta(made(5, 3, 4, 6), under=torch.no_grad())


if __name__ == "__main__":
    main(judge)
