"""Judge of drawing the next token: python judge.py my_solution.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Judge, Solution, close, main, true

judge = Judge(__file__, names={"draw": "function"}, unproven="speed")


def kept(row: Tensor, temperature: float, top_p: float) -> list[float]:
    """The probabilities of one row, token by token, in float64."""
    scaled = row.double() / temperature
    weights = [float(x) for x in (scaled - scaled.max()).exp()]
    total = sum(weights)
    order = sorted(range(len(weights)), key=lambda token: -weights[token])
    mass, found = 0.0, [0.0] * len(weights)
    for token in order:
        if mass >= top_p:
            break
        mass += weights[token] / total
        found[token] = weights[token] / total
    return [one / mass for one in found]


def expected(
    logits: Tensor, u: Tensor, temperature: float, top_p: float
) -> tuple[list[int], float]:
    """The token of each row, and how near a number was to an edge."""
    tokens, near = [], 1.0
    for row, number in zip(logits, u.tolist(), strict=True):
        total = 0.0
        found = None
        for token, one in enumerate(kept(row, temperature, top_p)):
            total += one
            if token < len(row) - 1:
                near = min(near, abs(total - number))
            if found is None and total > number:
                found = token
        tokens.append(found)
    return tokens, near


def compare(
    solution: Solution, code: str, temperature: float = 1.0, top_p: float = 1.0
) -> None:
    rest = "" if temperature == top_p == 1 else f", {temperature}, {top_p}"
    case = solution.run(code + f"draw(logits, u{rest})")
    want, near = expected(case.logits, case.u, temperature, top_p)
    assert near > 1e-6, "a number of the case is at an edge"
    close(case.got, torch.tensor(want), 0, 0, dtype=torch.int64)


def made(B: int, V: int, seed: int = 0, scale: float = 2.0) -> str:
    return f"""
torch.manual_seed({seed})
logits = {scale:g} * torch.randn({B}, {V})
u = torch.rand({B})
"""


@judge.group("probabilities and numbers")
def plain(solution: Solution) -> None:
    for B, V in ((1, 3), (6, 4), (4, 4), (20, 9)):
        compare(solution, made(B, V))
    grid = "logits = torch.tensor([[0.0, 1.0, -1.0, 0.5]]).repeat(40, 1)\nu = (torch.arange(40) + 0.5) / 40\n"
    compare(solution, grid)


@judge.group("temperatures")
def temperatures(solution: Solution) -> None:
    for temperature in (0.5, 2.0, 0.05, 20.0):
        compare(solution, made(20, 7, seed=1), temperature)


@judge.group("temperature 0")
def greedy(solution: Solution) -> None:
    for B, V in ((1, 3), (6, 5)):
        case = solution.run(made(B, V) + "draw(logits, u, 0.0)")
        want = [max(range(V), key=row.__getitem__) for row in case.logits.tolist()]
        close(case.got, torch.tensor(want), 0, 0, dtype=torch.int64)


@judge.group("top-p")
def nucleus(solution: Solution) -> None:
    for top_p in (0.9, 0.5, 0.1):
        compare(solution, made(1, 4, seed=2), 1.0, top_p)
        compare(solution, made(30, 8, seed=2), 1.0, top_p)
    sure = "logits = torch.tensor([[9.0, 0.0, 0.0], [0.0, 0.0, 9.0]])\nu = torch.tensor([0.99, 0.01])\n"
    compare(solution, sure, 1.0, 0.5)


@judge.group("top-p that is reached exactly")
def exactly(solution: Solution) -> None:
    # One of two equal tokens reaches one half; which one is left open.
    code = "logits = torch.zeros(2, 2)\nu = torch.tensor([0.1, 0.9])\ndraw(logits, u, 1.0, 0.5)"
    one, other = solution.run(code).got.tolist()
    true(
        one == other,
        "two equal tokens are kept, and one reaches top_p",
        [one, other],
    )


@judge.group("temperature and top-p together")
def both(solution: Solution) -> None:
    for temperature, top_p in ((2.0, 0.8), (0.5, 0.9), (5.0, 0.3)):
        compare(solution, made(40, 12, seed=3), temperature, top_p)


@judge.group("banned tokens, and numbers near 0 and 1")
def edges(solution: Solution) -> None:
    code = made(12, 6, seed=4) + "logits[:, ::2] = -torch.inf\n"
    compare(solution, code)
    for number in ("0.0", "1 - 2**-24"):
        code = f"""
torch.manual_seed(0)
logits = 4 * torch.randn(8, 1000)
logits[:, :3] = logits[:, -3:] = -torch.inf
u = torch.full((8,), {number})
"""
        for rest in ("", ", 1.0, 0.9"):
            case = solution.run(code + f"draw(logits, u{rest})")
            banned = case.logits.gather(1, case.got[:, None]).isinf()
            true(not banned.any(), "a banned token was drawn", case.got)


@judge.group("float16 and bfloat16 logits")
def dtypes(solution: Solution) -> None:
    for dtype in ("float16", "bfloat16"):
        code = made(20, 9, seed=5) + f"logits = logits.to(torch.{dtype})\n"
        compare(solution, code, 0.7, 0.9)


@judge.group("nothing is made on another device")
def device(solution: Solution) -> None:
    solution.on_meta(made(3, 5) + "draw(logits, u, 0.7, 0.9)")


if __name__ == "__main__":
    main(judge)
