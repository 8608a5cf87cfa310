"""Judge of learned positions: python judge.py my_solution.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Judge, Solution, close, main, normal, same, true

judge = Judge(__file__, names={"Positions": "class"})


def made(length: int, B: int, T: int, D: int, rest: str) -> str:
    """The code that makes positions whose rows are not small."""
    return f"""
torch.manual_seed(0)
place = Positions({length}, {D})
with torch.no_grad():
    place.weight.copy_(torch.randn({length}, {D}))
x = torch.randn({B}, {T}, {D})
{rest}"""


@judge.group("one parameter, weight, of shape (max_length, dim)")
def parameters(solution: Solution) -> None:
    for length, D in ((5, 3), (4, 4), (1, 1)):
        case = solution.run(
            f"place = Positions({length}, {D})\n"
            "{name: tuple(p.shape) for name, p in place.named_parameters()}"
        )
        same(case.got, {"weight": (length, D)}, "parameters")
        true(case.place.weight.requires_grad, "weight is not trained", "frozen")


@judge.group("the start: normal, mean 0, deviation 0.02")
def start(solution: Solution) -> None:
    case = solution.run("torch.manual_seed(0)\nPositions(500, 64).weight")
    normal(case.got, 0.02, of="weight")


@judge.group("a text from its first token")
def first(solution: Solution) -> None:
    for length, B, T, D in ((5, 2, 3, 4), (4, 1, 4, 4), (6, 3, 1, 2), (3, 3, 3, 3)):
        case = solution.run(made(length, B, T, D, "place(x)"))
        want = torch.stack(
            [
                torch.stack(
                    [row[t] + case.place.weight.detach()[t] for t in range(T)]
                )
                for row in case.x
            ]
        )
        close(case.got, want, 1e-6, 1e-6)


@judge.group("tokens behind others")
def behind(solution: Solution) -> None:
    for length, T, start in ((5, 1, 2), (5, 3, 2), (7, 2, 1), (4, 1, 3)):
        case = solution.run(made(length, 2, T, 3, f"place(x, {start})"))
        rows = [case.place.weight.detach()[start + t] for t in range(T)]
        close(case.got, case.x + torch.stack(rows), 1e-6, 1e-6)


@judge.group("a text that is too long")
def long(solution: Solution) -> None:
    for length, T, start in ((3, 4, 0), (3, 2, 2), (3, 1, 3), (5, 3, 4), (2, 9, 0)):
        solution.refuses(made(length, 2, T, 3, f"place(x, {start})"))


@judge.group("gradients of x and of the rows that were used")
def gradients(solution: Solution) -> None:
    code = """
x.requires_grad_()
weights = torch.randn(2, 3, 4)
torch.autograd.grad((place(x, 1) * weights).sum(), (x, place.weight))"""
    case = solution.run(made(6, 2, 3, 4, code))
    close(case.got[0], case.weights, 1e-6, 1e-6, of="gradient of x")
    want = torch.zeros(6, 4)
    want[1:4] = case.weights.sum(dim=0)
    close(case.got[1], want, 1e-5, 1e-6, of="gradient of weight")


@judge.group("float64, and no tensor on another device")
def dtypes(solution: Solution) -> None:
    case = solution.run(made(5, 2, 3, 4, "place.double()(x.double())"))
    want = case.x.double() + case.place.weight.detach()[:3]
    close(case.got, want, 1e-9, 1e-9, dtype=torch.float64)
    solution.on_meta(made(5, 2, 3, 4, "place.to('meta')(x, 1)"))


if __name__ == "__main__":
    main(judge)
