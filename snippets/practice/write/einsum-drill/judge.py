"""Judge of six one-liners on indices: python judge.py my_solution.py"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Case, Judge, Largest, Solution, close, main, true

INSTEAD = "use a matrix product"
judge = Judge(
    __file__,
    names=dict.fromkeys(
        (
            "pairwise_distance",
            "last_hidden",
            "segment_mean",
            "relative_bias",
            "packed_mask",
            "windows",
        ),
        "function",
    ),
    forbidden={"cdist": INSTEAD, "pdist": INSTEAD},
)


class Operations(TorchDispatchMode):
    """Counts the operations."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.count += 1
        return func(*args, **(kwargs or {}))


def numbers(
    solution: Solution,
    code: str,
    expected: Callable[[Case], Tensor],
    *floating: str,
    tolerance: float = 1e-4,
) -> Case:
    """Run a case twice, the second time with gradients, and compare with loops in float64."""
    first = solution.run(code)
    right = expected(first)
    close(
        first.got,
        right,
        tolerance,
        tolerance / 10,
        dtype=getattr(first, floating[0]).dtype if floating else right.dtype,
    )
    if floating:
        *before, call = code.strip().split("\n")
        case = solution.run(
            "\n".join(
                [*before, *(f"{name}.requires_grad_()" for name in floating), call]
            )
        )
        slope = (
            torch.arange(right.numel(), dtype=torch.float64)
            .reshape(right.shape)
            .cos()
        )
        inputs = [getattr(case, name) for name in floating]
        true(
            case.got.requires_grad,
            f"the result has no graph, though {floating[0]} requires a gradient",
            "graph",
        )
        mine = torch.autograd.grad(
            (case.got * slope).sum(), inputs, allow_unused=True
        )
        theirs = torch.autograd.grad((expected(case) * slope).sum(), inputs)
        for name, got, want in zip(floating, mine, theirs, strict=True):
            true(got is not None, f"no gradient reaches {name}", name)
            close(got, want, 1e-3, 1e-4, of=f"gradient of {name}")
    return first


def distances(case: Case) -> Tensor:
    return torch.stack(
        [
            torch.stack([(p - q).square().sum() for q in case.b.double()])
            for p in case.a.double()
        ]
    )


@judge.group("pairwise_distance")
def pairwise_distance(solution: Solution) -> None:
    for N, M, D in [(2, 3, 2), (5, 4, 6), (3, 3, 3), (1, 4, 1)]:
        code = f"torch.manual_seed(0)\na, b = torch.randn({N}, {D}), torch.randn({M}, {D})\npairwise_distance(a, b)"
        numbers(solution, code, distances, "a", "b")
    code = code.replace("\npairwise", "\na, b = a.double(), b.double()\npairwise")
    numbers(solution, code, distances, "a", "b", tolerance=1e-9)


@judge.group("pairwise_distance: no negative numbers, no tensor of all differences")
def large_distances(solution: Solution) -> None:
    case = solution.run(
        "torch.manual_seed(1)\na = torch.randn(80, 7)\npairwise_distance(a, a)"
    )
    true(
        not (case.got < 0).any(),
        f"{int((case.got < 0).sum())} squared distances are negative",
        case.got,
    )
    close(
        case.got.diagonal(),
        torch.zeros(80),
        0,
        1e-4,
        of="distances of points to themselves",
    )
    code = "torch.manual_seed(2)\na = torch.randn(50, 40)\nb = torch.randn(60, 40)\npairwise_distance(a, b)"
    largest = Largest()
    solution.run(code, under=largest)
    most = largest.elements
    true(
        most < 20_000,
        f"a tensor of {most} elements was made; N * M is 3000, N * M * D 120000",
        "memory",
    )


@judge.group("last_hidden")
def last_hidden(solution: Solution) -> None:
    def expected(case: Case) -> Tensor:
        return torch.stack(
            [row[int(n) - 1] for row, n in zip(case.h, case.lengths, strict=True)]
        )

    for T, C, lengths, dtype in [
        (4, 2, [1, 4, 2], "float32"),
        (3, 3, [3, 2, 1], "float32"),
        (1, 5, [1, 1], "float32"),
        (5, 1, [4], "float32"),
        (4, 2, [3, 1], "float64"),
    ]:
        code = f"""
torch.manual_seed(0)
h = torch.randn({len(lengths)}, {T}, {C}, dtype=torch.{dtype})
lengths = torch.tensor({lengths})
last_hidden(h, lengths)"""
        numbers(solution, code, expected, "h")


@judge.group("segment_mean")
def segment_mean(solution: Solution) -> None:
    def expected(case: Case) -> Tensor:
        x, ids = case.x.double(), case.ids.tolist()
        groups = [[x[i] for i in range(len(ids)) if ids[i] == k] for k in range(n)]
        return torch.stack(
            [
                sum(own) / len(own) if own else x.new_zeros(x.shape[1])
                for own in groups
            ]
        )

    for ids, n, C, dtype in [
        ([0, 1, 1], 2, 2, "float32"),
        ([2, 0, 2, 0, 0], 3, 4, "float32"),
        ([2, 0, 2, 0, 4], 6, 3, "float32"),
        ([0, 0, 0], 1, 3, "float32"),
        ([1, 0, 3], 4, 1, "float64"),
    ]:
        code = f"""
torch.manual_seed(0)
x = torch.randn({len(ids)}, {C}, dtype=torch.{dtype})
ids = torch.tensor({ids})
segment_mean(x, ids, {n})"""
        numbers(solution, code, expected, "x")


@judge.group("relative_bias")
def relative_bias(solution: Solution) -> None:
    def expected(case: Case) -> Tensor:
        rows = [
            [[case.table[i - j + t - 1, h] for j in range(t)] for i in range(t)]
            for h in range(case.table.shape[1])
        ]
        return torch.stack(
            [torch.stack([torch.stack(row) for row in head]) for head in rows]
        )

    for t, H, dtype in [
        (2, 1, "float32"),
        (4, 3, "float32"),
        (3, 3, "float32"),
        (1, 2, "float32"),
        (3, 2, "float64"),
    ]:
        code = f"torch.manual_seed(0)\ntable = torch.randn({2 * t - 1}, {H}, dtype=torch.{dtype})\nrelative_bias(table, {t})"
        numbers(solution, code, expected, "table")


@judge.group("packed_mask")
def packed_mask(solution: Solution) -> None:
    def expected(case: Case) -> Tensor:
        rows = [
            [[j <= i and row[i] == row[j] for j in range(T)] for i in range(T)]
            for row in case.doc.tolist()
        ]
        return torch.tensor(rows)

    for doc in (
        "[[0, 0]]",
        "[[0, 0, 1, 1, 1]]",
        "[[3, 3, 7], [5, 5, 5], [0, 1, 2]]",
        "[[1, 2, 2, 1], [4, 4, 0, 0]]",
        "[[16777216, 16777217, 0, -1, -1]]",
    ):
        T = len(eval(doc)[0])
        case = numbers(
            solution, f"doc = torch.tensor({doc})\npacked_mask(doc)", expected
        )
        true(
            case.got.dtype == torch.bool,
            f"got dtype {case.got.dtype}, expected torch.bool",
            case.got,
        )


@judge.group("windows")
def windows(solution: Solution) -> None:
    for x, T, size in [
        ("torch.randn(2, 5)", 5, 3),
        ("torch.randn(3, 4)", 4, 1),
        ("torch.randn(4, 4)", 4, 4),
        ("torch.randn(1, 6)", 6, 2),
        ("torch.randn(2, 7, dtype=torch.float64)", 7, 4),
        ("torch.randn(5, 3).T", 5, 2),
        ("torch.randn(3, 12)[:, 1::2]", 6, 3),
    ]:

        def expected(case: Case, T: int = T, size: int = size) -> Tensor:
            return torch.stack(
                [case.x[:, i : i + size] for i in range(T - size + 1)], dim=1
            )

        case = numbers(
            solution,
            f"torch.manual_seed(0)\nx = {x}\nwindows(x, {size})",
            expected,
            "x",
        )
        case.x[0, 2] = 99.0
        close(case.got, expected(case), of="after x[0, 2] = 99")


CALLS = (
    "x = torch.randn(60, 50)\npairwise_distance(x, x)",
    "h, lengths = torch.randn(50, 60, 4), torch.arange(1, 51)\nlast_hidden(h, lengths)",
    "x, ids = torch.randn(60, 50), torch.arange(60)\nsegment_mean(x, ids, 70)",
    "table = torch.randn(99, 50)\nrelative_bias(table, 50)",
    "doc = torch.arange(3000).reshape(50, 60) // 7\npacked_mask(doc)",
    "x = torch.randn(2, 60)\nwindows(x, 3)",
)


@judge.group("no loops")
def loops(solution: Solution) -> None:
    for code in CALLS:
        counted = Operations()
        solution.run(code, under=counted)
        true(
            counted.count < 45,
            f"{counted.count} operations: is there a Python loop?",
            "loop",
        )


@judge.group("nothing is made on another device")
def device(solution: Solution) -> None:
    for code in CALLS:
        solution.on_meta(code)


if __name__ == "__main__":
    main(judge)
