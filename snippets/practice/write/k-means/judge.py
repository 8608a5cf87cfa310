"""Judge of k-means: python judge.py my_solution.py"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Case, Judge, Largest, Solution, close, main, true

judge = Judge(
    __file__,
    names={"kmeans": "function"},
    unproven="speed, points far from the origin",
)


class Operations(TorchDispatchMode):
    """Counts the operations."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.count += 1
        return func(*args, **(kwargs or {}))


def made(N: int, K: int, D: int, seed: int = 0, dtype: str = "float32") -> str:
    return f"""
torch.manual_seed({seed})
x = torch.randn({N}, {D}, dtype=torch.{dtype})
centroids = x[:{K}] + torch.randn({K}, {D}, dtype=torch.{dtype}) / 5
"""


def assigned(points: list[list[float]], centers: list[list[float]]) -> list[int]:
    owners = []
    size = sum(p * p for point in points for p in point) / len(points)
    for point in points:
        far = [
            sum((p - c) ** 2 for p, c in zip(point, center, strict=True))
            for center in centers
        ]
        first, second = [*sorted(far), math.inf][:2]
        apart = 1e-4 * min(1.0, size)
        assert second - first > apart, "ties are left open: take another seed"
        owners.append(far.index(first))
    return owners


def expected(x: Tensor, centroids: Tensor, steps: int) -> tuple[Tensor, Tensor]:
    """The same in float64, point by point."""
    points, centers = x.double().tolist(), centroids.double().tolist()
    for _ in range(steps):
        owners = assigned(points, centers)
        for k in range(len(centers)):
            own = [
                point
                for point, owner in zip(points, owners, strict=True)
                if owner == k
            ]
            if own:
                centers[k] = [
                    math.fsum(values) / len(own)
                    for values in zip(*own, strict=True)
                ]
    return torch.tensor(centers, dtype=torch.float64).reshape(
        centroids.shape
    ), torch.tensor(assigned(points, centers))


def clustered(
    solution: Solution, code: str, steps: int, tolerance: float = 1e-5
) -> Case:
    case = solution.run(f"{code}kmeans(x, centroids, {steps})")
    pair = isinstance(case.got, (tuple, list)) and len(case.got) == 2
    true(
        pair,
        f"got {type(case.got).__name__}, expected a tuple of two tensors",
        case.got,
    )
    centers, owners = expected(case.x, case.centroids, steps)
    close(
        case.got[0],
        centers,
        10 * tolerance,
        tolerance,
        dtype=case.x.dtype,
        of="centroids",
    )
    close(case.got[1], owners, 0, 0, dtype=torch.int64, of="assignment")
    return case


@judge.group("no round: only the assignment")
def no_round(solution: Solution) -> None:
    for N, K, D in [(3, 2, 1), (7, 4, 3)]:
        clustered(solution, made(N, K, D), 0)


@judge.group("rounds against a loop over points")
def rounds(solution: Solution) -> None:
    code = "x = torch.tensor([[0.0], [1.0], [5.0], [7.5]])\ncentroids = torch.tensor([[2.0], [9.0]])\n"
    for steps in (1, 2):
        clustered(solution, code, steps)
    for N, K, D in [(30, 4, 3), (25, 3, 5), (40, 5, 2), (6, 6, 6)]:
        for steps in (1, 2, 20):
            clustered(solution, made(N, K, D, 1), steps)


@judge.group("it ends when nothing changes, and not before")
def end(solution: Solution) -> None:
    clustered(solution, made(60, 4, 2, 181), 30)
    # In one round two points change places, so that the counts stay.
    clustered(solution, made(8, 2, 2, 1), 20)
    near = (
        made(30, 4, 3, 1, "float64") + "x, centroids = x / 1e5, centroids / 1e5\n"
    )
    clustered(solution, near, 20, 1e-12)


@judge.group("one cluster, one axis, one point each, points that occur twice")
def sizes(solution: Solution) -> None:
    for N, K, D in [(5, 1, 3), (12, 3, 1), (1, 1, 1)]:
        clustered(solution, made(N, K, D, 2), 3)
    clustered(solution, made(5, 5, 3, 3) + "centroids = centroids.flip(0)\n", 2)
    clustered(solution, made(8, 3, 2, 4) + "x = torch.cat([x, x, x[:3]])\n", 3)


@judge.group("a cluster without points stays where it is")
def empty(solution: Solution) -> None:
    for far in (1, 0, 3):
        for steps in (3, 1):
            clustered(
                solution, made(20, 4, 3, 5) + f"centroids[{far}] = 100.0\n", steps
            )
    clustered(solution, made(3, 3, 2, 6) + "centroids = torch.randn(6, 2)\n", 2)


@judge.group("float64, and points that are not contiguous")
def dtypes(solution: Solution) -> None:
    clustered(solution, made(20, 4, 3, 7, "float64"), 4, 1e-10)
    clustered(solution, made(20, 4, 3, 5) + "x = x.T.contiguous().T\n", 2)


@judge.group("no loop over points")
def loops(solution: Solution) -> None:
    with Operations() as counted:
        solution.run(made(400, 2, 2) + "1")
    before = counted.count
    counted = Operations()
    solution.run(made(400, 2, 2) + "kmeans(x, centroids, 1)", under=counted)
    many = counted.count
    true(
        many < before + 200,
        f"{many} operations for 400 points and one round: do you loop over the points?",
        "loop",
    )


@judge.group("memory")
def memory(solution: Solution) -> None:
    largest = Largest()
    solution.run(made(500, 40, 30) + "kmeans(x, centroids, 1)", under=largest)
    most = largest.elements
    true(
        most < 150_000,
        f"a tensor of {most} elements was made; N * K is 20000, N * K * D 600000",
        "memory",
    )


@judge.group("nothing is made on another device")
def device(solution: Solution) -> None:
    solution.on_meta(made(7, 4, 3) + "kmeans(x, centroids, 2)")


if __name__ == "__main__":
    main(judge)
