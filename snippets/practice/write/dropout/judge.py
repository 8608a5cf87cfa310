"""Judge of dropout: python judge.py my_solution.py"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Judge, Solution, close, main, true

INSTEAD = "draw the mask yourself"
judge = Judge(
    __file__,
    names={"dropout": "function"},
    forbidden=dict.fromkeys(
        (
            *(
                "dropout",
                "dropout_",
                "native_dropout",
                "feature_dropout",
                "alpha_dropout",
                "feature_alpha_dropout",
            ),
            *(
                f"{name}{n}"
                for name in ("Dropout", "dropout")
                for n in ("1d", "2d", "3d")
            ),
            *("Dropout", "AlphaDropout", "FeatureAlphaDropout"),
        ),
        INSTEAD,
    ),
    unproven="speed and memory",
)


def values(got: object, x: Tensor, p: float, tolerance: float = 1e-6) -> Tensor:
    """Which elements are kept. Fail unless these are x / (1 - p), and all others 0."""
    close(
        got, torch.zeros_like(x), 0, math.inf, dtype=x.dtype
    )  # its type, shape, dtype; finite
    assert isinstance(got, Tensor)
    kept = got.detach() != 0
    right = (
        torch.where(kept, x.double() / (1 - p), 0.0)
        if p < 1
        else torch.zeros_like(x)
    )
    close(got, right.detach(), tolerance, 0)
    return kept


@judge.group("evaluation returns the values of x")
def evaluation(solution: Solution) -> None:
    for p in (0.3, 0.0, 1.0):
        case = solution.run(
            f"torch.manual_seed(0)\nx = torch.randn(3, 4)\ndropout(x, {p}, False)"
        )
        close(case.got, case.x, 0, 0, dtype=torch.float32)


@judge.group("values and their share")
def share(solution: Solution) -> None:
    n = 20_000
    for p in (0.5, 0.2, 0.8):
        case = solution.run(
            f"torch.manual_seed(0)\nx = torch.rand({n}) + 0.5\ndropout(x, {p}, True)"
        )
        zeros = 1 - values(case.got, case.x, p).double().mean().item()
        near = abs(zeros - p) < 5 * math.sqrt(p * (1 - p) / n)
        true(
            near, f"{zeros:.3f} of the elements are 0, expected about {p}", case.got
        )
    for dtype in ("float32", "bfloat16"):
        case = solution.run(
            f"torch.manual_seed(0)\nx = torch.ones(200_000, dtype=torch.{dtype})\ndropout(x, 0.001, True)"
        )
        zeros = 1 - values(case.got, case.x, 0.001, 1e-2).double().mean().item()
        true(
            0.0006 < zeros < 0.0014,
            f"{zeros:.4f} of the elements are 0, expected about 0.001",
            case.got,
        )


@judge.group("p = 0 and p = 1, one element and none")
def edges(solution: Solution) -> None:
    for p in (0, 1, 0.0, 1.0):
        case = solution.run(
            f"torch.manual_seed(1)\nx = torch.randn(3, 5)\ndropout(x, {p}, True)"
        )
        close(case.got, case.x * (1 - p), 1e-6, 0, dtype=torch.float32)
    for x in (
        "torch.tensor(2.0)",
        "torch.randn(0, 3)",
        "torch.randn(1, 1)",
        "torch.randn(3, 4).T",
    ):
        case = solution.run(f"torch.manual_seed(1)\nx = {x}\ndropout(x, 0.5, True)")
        values(case.got, case.x, 0.5)


@judge.group("p out of range")
def errors(solution: Solution) -> None:
    for p in (-0.1, 1.5):
        for training in (True, False):
            solution.refuses(f"x = torch.ones(3)\ndropout(x, {p}, {training})")


@judge.group("the source of randomness")
def randomness(solution: Solution) -> None:
    setup = "torch.manual_seed(4)\nx = torch.ones(40)\n"
    first, second = solution.run(
        setup + "dropout(x, 0.5, True), dropout(x, 0.5, True)"
    ).got
    true(
        not torch.equal(first, second),
        "two calls drop the same elements",
        "two calls",
    )
    code = "x = torch.ones(40)\ntorch.manual_seed({})\ndropout(x, 0.5, True)"
    one, same, other = (solution.run(code.format(seed)).got for seed in (5, 5, 6))
    true(
        torch.equal(one, same),
        "without a generator, torch.manual_seed does not decide",
        "global seed",
    )
    true(
        not torch.equal(one, other),
        "two global seeds drop the same elements",
        "global seeds",
    )
    made = "generator = torch.Generator().manual_seed({})\nbefore = torch.get_rng_state()\n"
    code = setup + made + "dropout(x, 0.5, True, generator), torch.get_rng_state()"
    case = solution.run(code.format(7))
    untouched = torch.equal(case.got[1], case.before)
    true(
        untouched,
        "a generator is given, and the global random state was used",
        "global state",
    )
    one, same, other = (
        solution.run(code.format(seed)).got[0] for seed in (7, 7, 8)
    )
    true(
        torch.equal(one, same),
        "two generators with one seed drop different elements",
        "seed",
    )
    true(
        not torch.equal(one, other),
        "two seeds of the generator drop the same elements",
        "seeds",
    )
    first, second = solution.run(
        setup
        + made.format(7)
        + "dropout(x, 0.5, True, generator), dropout(x, 0.5, True, generator)"
    ).got
    true(
        not torch.equal(first, second),
        "two calls with one generator drop the same elements",
        "one generator",
    )


@judge.group("elements are dropped independently")
def independent(solution: Solution) -> None:
    case = solution.run(
        "torch.manual_seed(2)\nx = torch.rand(6, 7, 8) + 0.5\ndropout(x, 0.5, True)"
    )
    kept = values(case.got, case.x, 0.5)
    for axis in range(3):
        mixed = kept.any(axis) & ~kept.all(axis)
        true(
            bool(mixed.any()),
            f"along axis {axis} either all elements are dropped or none",
            case.got,
        )
    code = "torch.manual_seed(3)\nx = torch.ones(10)\n[dropout(x, 0.5, True) for _ in range(40)]"
    counts = {int((one == 0).sum()) for one in solution.run(code).got}
    true(
        len(counts) > 1,
        f"of 10 elements, each of 40 calls drops exactly {min(counts)}",
        "count",
    )


@judge.group("gradients")
def gradients(solution: Solution) -> None:
    for p, training in ((0.4, True), (0.0, True), (1.0, True), (0.4, False)):
        code = f"torch.manual_seed(8)\nx = (torch.rand(5, 6) + 0.5).requires_grad_()\ndropout(x, {p}, {training})"
        case = solution.run(code)
        true(
            case.got.requires_grad,
            "the result has no graph, though x requires a gradient",
            "graph",
        )
        slope = torch.arange(30.0).reshape(5, 6).cos()
        (got,) = torch.autograd.grad((case.got * slope).sum(), case.x)
        kept = (case.got != 0).float()
        factor = 1.0 if not training or p == 1 else 1 / (1 - p)
        close(got, slope * kept * factor, 1e-5, 1e-7, of="gradient of x")


@judge.group("float16, bfloat16 and float64")
def dtypes(solution: Solution) -> None:
    for dtype, tolerance in (
        ("float64", 1e-12),
        ("float16", 2e-3),
        ("bfloat16", 2e-2),
    ):
        code = f"torch.manual_seed(9)\nx = (torch.rand(4, 9) + 0.5).to(torch.{dtype})\ndropout(x, 0.3, True)"
        case = solution.run(code)
        values(case.got, case.x, 0.3, tolerance)


@judge.group("nothing is made on another device")
def device(solution: Solution) -> None:
    solution.on_meta("x = torch.randn(3, 4)\ndropout(x, 0.5, True)")


if __name__ == "__main__":
    main(judge)
