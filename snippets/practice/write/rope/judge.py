"""Judge of rotary position embeddings: python judge.py my_solution.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Judge, Solution, close, main, true

judge = Judge(
    __file__, names={"apply_rope": "function"}, unproven="speed and memory"
)


def made(
    B: int, H: int, T: int, D: int, positions: object = None, dtype: str = "float32"
) -> str:
    """The code that makes x and positions, which are 0 to T - 1 if left out."""
    given = f"arange({T})" if positions is None else f"tensor({positions})"
    code = f"""
torch.manual_seed(0)
x = torch.randn({B}, {H}, {T}, {D}).to(torch.{dtype})
positions = torch.{given}
"""
    return code.replace(".to(torch.float32)", "")


def expected(
    x: Tensor, positions: Tensor, theta: float = 10000.0, interleaved: bool = False
) -> Tensor:
    """Each pair as a complex number times exp(i * angle), in complex128."""
    D = x.shape[-1]
    y = [None] * D
    for i in range(D // 2):
        one, two = (2 * i, 2 * i + 1) if interleaved else (i, i + D // 2)
        angle = positions.double() * theta ** (-2 * i / D)  # (T,) or (B, T)
        turn = torch.polar(torch.ones_like(angle), angle)
        turn = turn[:, None] if positions.ndim == 2 else turn
        pair = torch.complex(x[..., one].double(), x[..., two].double()) * turn
        y[one], y[two] = pair.real, pair.imag
    return torch.stack(y, dim=-1)


def check(
    solution: Solution,
    code: str,
    interleaved: bool = False,
    theta: float | None = None,
    near: float = 1e-4,
    size: float = 0.1,
) -> None:
    """Run a case and compare; of values below ``size``, the absolute difference."""
    settings: dict[str, float] = {} if theta is None else {"theta": theta}
    if interleaved:
        settings["interleaved"] = True
    given = "".join(f", {name}={value}" for name, value in settings.items())
    case = solution.run(f"{code}apply_rope(x, positions{given})")
    right = expected(case.x, case.positions, **settings).to(case.x.dtype)
    close(case.got, right, near, near * size, dtype=case.x.dtype)


SIZES = [
    (1, 1, 1, 2),
    (1, 1, 2, 6),  # more than two pairs, so that mistakes in the frequencies differ
    (1, 2, 3, 2),
    (2, 3, 5, 8),
    (2, 1, 3, 6),
    (4, 4, 4, 4),
]


@judge.group("position 0 changes nothing")
def zero(solution: Solution) -> None:
    for interleaved in (False, True):
        check(solution, made(2, 3, 1, 4, [0]), interleaved)


@judge.group("halves: positions 0 to T - 1")
def halves(solution: Solution) -> None:
    for sizes in SIZES:
        check(solution, made(*sizes))


@judge.group("interleaved: positions 0 to T - 1")
def interleaved(solution: Solution) -> None:
    for sizes in SIZES:
        check(solution, made(*sizes), True)


@judge.group("positions in any order, and per row")
def places(solution: Solution) -> None:
    for pairing in (False, True):
        check(solution, made(2, 4, 3, 6, [7, 2, 9]), pairing)
        check(solution, made(2, 3, 1, 4, [3]), pairing)
        check(solution, made(2, 3, 3, 8, [[0, 1, 2], [5, 9, 6]]), pairing)
        check(solution, made(2, 2, 2, 4, [[4, 5], [0, 1]]), pairing)
        check(
            solution, made(3, 3, 3, 6, [[0, 1, 2], [4, 4, 4], [9, 1, 0]]), pairing
        )
        check(solution, made(1, 2, 3, 4, [[8, 9, 10]]), pairing)


@judge.group("there is no largest position")
def largest(solution: Solution) -> None:
    # One pair, whose frequency is 1: all angles are integers, and exact.
    for pairing in (False, True):
        check(solution, made(1, 2, 3, 2, [2000001, 7, 3000000]), pairing)


@judge.group("another theta")
def bases(solution: Solution) -> None:
    for theta in (500000.0, 100.0):
        for pairing in (False, True):
            check(solution, made(2, 3, 4, 8, [1, 5, 20, 40]), pairing, theta)


@judge.group("a score depends on the distance of the positions only")
def distance(solution: Solution) -> None:
    for given in ("", ", interleaved=True"):
        code = f"""
torch.manual_seed(0)
q, k = torch.randn(2, 1, 1, 1, 8)
positions = torch.tensor([0, 3, 5, 8, 40, 43])
turned_q, turned_k = (
    apply_rope(one.expand(1, 1, 6, 8), positions{given}) for one in (q, k)
)
turned_q @ turned_k.mT
"""
        got = solution.run(code).got[0, 0]
        for a, b, c, d in ((0, 1, 2, 3), (0, 1, 4, 5), (1, 0, 5, 4), (0, 2, 1, 3)):
            text = "scores of equal distances differ"
            true(bool((got[a, b] - got[c, d]).abs() < 1e-3), text, got)
        true(
            bool((got[0, 0] - got[0, 1]).abs() > 1e-3), "scores do not change", got
        )


@judge.group("bfloat16 and float16: the angles are not rounded to them")
def dtypes(solution: Solution) -> None:
    # Cosines may be rounded to the dtype of x, and so may each product.
    for dtype, near in (("bfloat16", 2e-2), ("float16", 1e-2)):
        for pairing in (False, True):
            for places in ([0, 1, 2], [300, 1001, 2999], [50001, 50005, 49999]):
                code = made(2, 3, 3, 8, places, dtype)
                check(solution, code, pairing, near=near, size=1.0)
    for pairing in (False, True):
        check(
            solution,
            made(2, 3, 3, 8, [50001, 7, 300], "float64"),
            pairing,
            near=1e-2,
            size=1.0,
        )


@judge.group("gradient")
def gradient(solution: Solution) -> None:
    for given in ({}, {"interleaved": True}):
        code = made(2, 3, 4, 6, [3, 0, 11, 5]) + "x.requires_grad_()\n"
        more = ", interleaved=True" if given else ""
        case = solution.run(f"{code}apply_rope(x, positions{more})")
        right = expected(case.x, case.positions, **given)
        slope = torch.arange(right.numel()).double().cos().reshape(right.shape)
        true(case.got.requires_grad, "no gradient reaches x", case.got)
        (want,) = torch.autograd.grad((right * slope).sum(), case.x)
        (have,) = torch.autograd.grad((case.got * slope.float()).sum(), case.x)
        close(have, want, 1e-3, 1e-5, of="gradient of x")


@judge.group("x need not be contiguous")
def strides(solution: Solution) -> None:
    code = """
torch.manual_seed(0)
x = torch.randn(2, 6, 3, 4).permute(0, 2, 3, 1)
positions = torch.tensor([[3, 0, 11, 5], [0, 1, 2, 3]])
"""
    for pairing in (False, True):
        check(solution, code, pairing)


@judge.group("nothing is made on another device")
def device(solution: Solution) -> None:
    for places in ([7, 2, 9], [[7, 2, 9], [0, 1, 2]]):
        for given in ("", ", interleaved=True"):
            code = made(2, 4, 3, 6, places)
            solution.on_meta(f"{code}apply_rope(x, positions{given})")


if __name__ == "__main__":
    main(judge)
