"""Judge of warm-up and cosine: python judge.py my_solution.py"""

from __future__ import annotations

import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Failure, Judge, Solution, main

judge = Judge(
    __file__,
    names={"lr_at": "function"},
    forbidden={"lr_scheduler": "write the formula yourself"},
    unproven="speed",
)


def expected(
    step: int, peak: float, warmup: int, total: int, floor: float
) -> float:
    """The same by the half angle: (1 + cos a) / 2 is the square of cos(a / 2)."""
    if step < warmup:
        return peak / warmup * (step + 1)
    share = (
        math.cos(math.pi / 2 * (step - warmup) / (total - warmup)) ** 2
        if step < total
        else 0.0
    )
    return share * peak + (1 - share) * floor


def check(
    solution: Solution,
    steps: str,
    peak: float,
    warmup: int,
    total: int,
    floor: float | None = None,
) -> None:
    """Compare the rates of some steps."""
    rest = "" if floor is None else f", {floor}"
    rates = solution.run(
        f"[lr_at(step, {peak}, {warmup}, {total}{rest}) for step in {steps}]"
    ).got
    for step, rate in zip(eval(steps), rates, strict=True):
        right = expected(step, peak, warmup, total, floor or 0.0)
        at = f"step {step} with peak {peak}, warmup {warmup}, total {total}" + (
            f", floor {floor}" if rest else ""
        )
        if type(rate) is not float:
            raise Failure(
                f"{at}: got {rate!r} of type {type(rate).__name__}, expected a float",
                rates,
            )
        if not abs(rate - right) <= 1e-6 * peak:  # float32 will do
            raise Failure(f"{at}: got {rate:.9g}, expected {right:.9g}", rates)


@judge.group("the warm-up")
def rise(solution: Solution) -> None:
    check(solution, "range(4)", 1.0, 4, 10, 0.0)
    check(solution, "[0]", 1.0, 1, 3, 0.0)
    check(solution, "range(10)", 0.001, 10, 100, 1e-05)
    # It rises from 0, not from the floor.
    check(solution, "range(6)", 0.3, 6, 13, 0.2)


@judge.group("the cosine")
def fall(solution: Solution) -> None:
    # The first, the middle, and the others.
    check(solution, "[4, 7]", 1.0, 4, 10, 0.0)
    check(solution, "range(4, 10)", 1.0, 4, 10, 0.0)
    check(solution, "range(10, 100)", 0.001, 10, 100, 1e-05)
    check(solution, "range(2, 13)", 0.3, 2, 13, 0.2)
    check(solution, "range(3, 7)", 0.3, 3, 7, 0.3)


@judge.group("from total on")
def after(solution: Solution) -> None:
    check(solution, "[10, 11, 16, 1000]", 1.0, 4, 10, 0.0)
    check(solution, "[100, 101, 190, 10000]", 0.001, 10, 100, 1e-05)


@judge.group("floor left out")
def default(solution: Solution) -> None:
    check(solution, "range(12)", 0.5, 2, 9)


@judge.group("no warm-up")
def none(solution: Solution) -> None:
    check(solution, "range(6)", 1.0, 0, 4, 0.1)
    check(solution, "range(3)", 1.0, 0, 1, 0.1)


@judge.group("nothing but warm-up, and a cosine of one step")
def short(solution: Solution) -> None:
    check(solution, "range(6)", 1.0, 4, 4, 0.1)
    check(solution, "range(3)", 1.0, 1, 1, 0.1)
    check(solution, "range(6)", 1.0, 3, 4, 0.1)


@judge.group("a float, also for whole numbers")
def whole(solution: Solution) -> None:
    check(solution, "range(8)", 2, 2, 6, 0)
    check(solution, "range(8)", 3, 2, 6, 1)


if __name__ == "__main__":
    main(judge)
