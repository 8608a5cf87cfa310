"""Judge of the distillation loss: python judge.py my_solution.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Case, Judge, Solution, close, main, true

judge = Judge(
    __file__, names={"distillation_loss": "function"}, unproven="speed and memory"
)


def made(N: int, V: int, scale: float = 2.0, dtype: str = "float32") -> str:
    """The code that makes the arguments."""
    of = "" if dtype == "float32" else f", dtype=torch.{dtype}"
    return f"""
torch.manual_seed(0)
student = torch.randn({N}, {V}{of}) * {scale:g}
teacher = torch.randn({N}, {V}{of}) * {scale:g}
targets = torch.randint({V}, ({N},))
"""


def expected(
    student: Tensor,
    teacher: Tensor,
    targets: Tensor,
    temperature: float = 2.0,
    alpha: float = 0.5,
) -> Tensor:
    """The same in float64, row by row and class by class. A class that the teacher excludes adds nothing."""
    student, teacher = student.double(), teacher.detach().double()
    soft, hard = (
        torch.zeros((), dtype=torch.float64),
        torch.zeros((), dtype=torch.float64),
    )
    for s, t, target in zip(student, teacher, targets.tolist(), strict=True):
        log_q = s / temperature - (s / temperature).logsumexp(0)
        log_p = t / temperature - (t / temperature).logsumexp(0)
        for v, p in enumerate(log_p.exp()):
            if p > 0:
                soft = soft + p * (log_p[v] - log_q[v])
        hard = hard - (s[target] - s.logsumexp(0))
    N = len(student)
    return alpha * temperature**2 * soft / N + (1 - alpha) * hard / N


def compare(
    solution: Solution,
    code: str,
    options: dict[str, float] | None = None,
    rtol: float = 1e-4,
    atol: float = 1e-6,
) -> Case:
    """Compare the loss and the gradient of the student; the teacher must have none."""
    options = options or {}
    call = "distillation_loss(student, teacher, targets"
    call += "".join(f", {name}={value}" for name, value in options.items()) + ")"
    case = solution.run(code + call)
    right = expected(case.student, case.teacher, case.targets, **options)
    close(
        case.got, right.to(case.student.dtype), rtol, atol, dtype=case.student.dtype
    )
    code += f"student.requires_grad_()\nteacher.requires_grad_()\nloss = {call}\n"
    case = solution.run(
        code + "torch.autograd.grad(loss, (student, teacher), allow_unused=True)"
    )
    (want,) = torch.autograd.grad(
        expected(case.student, case.teacher, case.targets, **options), case.student
    )
    mine, other = case.got
    true(mine is not None, "no gradient reaches the student")
    close(mine, want, 1e-3, 1e-6, of="gradient of student")
    true(other is None, "a gradient reaches the teacher", other)
    return case


@judge.group("loss and gradient against a loop over classes")
def numbers(solution: Solution) -> None:
    compare(solution, made(1, 3))
    compare(solution, made(4, 5))
    compare(solution, made(3, 3), {"temperature": 1.0, "alpha": 0.3})
    compare(solution, made(2, 6), {"temperature": 10.0, "alpha": 0.9})
    compare(solution, made(5, 2), {"alpha": 0.2})
    compare(solution, made(2, 4), {"temperature": 1.5})
    compare(solution, made(3, 4), {"temperature": 0.5, "alpha": 0.6})


@judge.group("alpha 0 and alpha 1")
def ends(solution: Solution) -> None:
    compare(solution, made(4, 5), {"temperature": 3.0, "alpha": 0.0})
    compare(solution, made(4, 5), {"temperature": 3.0, "alpha": 1.0})


@judge.group("the soft term is 0 where the student is the teacher")
def equal(solution: Solution) -> None:
    code = (
        made(4, 5)
        + "distillation_loss(student, student.clone(), targets, 4.0, 1.0)"
    )
    close(solution.run(code).got, torch.zeros(()), 0.0, 1e-5)


@judge.group("large logits, and classes that the teacher excludes")
def large(solution: Solution) -> None:
    compare(solution, made(3, 4, scale=1e3), {"temperature": 1.0}, atol=1e-3)
    compare(solution, made(3, 4) + "teacher[:, 1] = -1e4\n")
    half = "student[:, 3:] = teacher[:, 3:] = -1e4\ntargets = targets % 3\n"
    compare(solution, made(3, 6) + half, {"temperature": 2.0, "alpha": 0.7})
    # A class that the teacher hardly wants, and the student not at all.
    compare(
        solution,
        "student = torch.tensor([[0.0, 1.0, -1e4]])\nteacher = torch.tensor([[0.0, 1.0, -14.0]])\ntargets = torch.tensor([1])\n",
        {"temperature": 1.0},
    )
    compare(
        solution,
        "student = torch.zeros(2, 3)\nteacher = 1e3 * torch.eye(2, 3)\ntargets = torch.tensor([0, 2])\n",
    )


@judge.group("float64")
def dtypes(solution: Solution) -> None:
    compare(
        solution, made(4, 5, dtype="float64"), {"temperature": 3.0}, 1e-9, 1e-12
    )


@judge.group("nothing is made on another device")
def device(solution: Solution) -> None:
    solution.on_meta(made(3, 4) + "distillation_loss(student, teacher, targets)")


if __name__ == "__main__":
    main(judge)
