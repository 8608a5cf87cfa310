"""Judge of box IoU and non-maximum suppression: python judge.py my_solution.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Failure, Judge, Solution, close, main, true

INSTEAD = "compute it with torch alone"
judge = Judge(
    __file__,
    names={"box_iou": "function", "nms": "function"},
    forbidden={"torchvision": INSTEAD},
    unproven="speed and memory",
)


class Operations(TorchDispatchMode):
    """Counts the operations."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.count += 1
        return func(*args, **(kwargs or {}))


def random_boxes(
    name: str, N: int, scale: float = 10.0, dtype: str = "float32"
) -> str:
    """The code that makes boxes, many of which overlap."""
    return f"""corner, size = torch.rand(2, {N}, 2, dtype=torch.{dtype}) * {scale}
{name} = torch.cat([corner, corner + size + {scale / 10}], dim=1)
"""


def pair(a: list[float], b: list[float]) -> float:
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    inter = width * height if width > 0 and height > 0 else 0.0
    union = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - inter
    return inter / union if union else 0.0


def expected(a: Tensor, b: Tensor) -> Tensor:
    """The IoU in float64, pair by pair."""
    rows = [
        [pair(one, other) for other in b.double().tolist()]
        for one in a.double().tolist()
    ]
    return torch.tensor(rows, dtype=torch.float64).reshape(len(a), len(b))


def expected_kept(boxes: Tensor, scores: Tensor, threshold: float) -> list[int]:
    listed = boxes.double().tolist()
    kept: list[int] = []
    for i in sorted(
        range(len(listed)), key=scores.tolist().__getitem__, reverse=True
    ):
        overlaps = [pair(listed[i], listed[j]) for j in kept]
        assert all(abs(one - threshold) > 1e-4 for one in overlaps), (
            "an IoU at the threshold is left open"
        )
        if all(one <= threshold for one in overlaps):
            kept.append(i)
    return kept


def ious(solution: Solution, code: str, tolerance: float = 1e-6) -> None:
    case = solution.run(code + "box_iou(a, b)")
    close(
        case.got,
        expected(case.a, case.b),
        10 * tolerance,
        tolerance,
        dtype=case.a.dtype,
    )


def keeps(solution: Solution, code: str, threshold: float) -> None:
    case = solution.run(code + f"nms(boxes, scores, {threshold})")
    right = expected_kept(case.boxes, case.scores, threshold)
    got = case.got
    true(
        isinstance(got, Tensor), f"got {type(got).__name__}, expected a Tensor", got
    )
    true(
        got.dtype == torch.int64,
        f"got dtype {got.dtype}, expected torch.int64",
        got,
    )
    true(
        got.ndim == 1,
        f"got shape {tuple(got.shape)}, expected ({len(right)},)",
        got,
    )
    if got.tolist() != right:
        raise Failure(f"got {got.tolist()}, expected {right}", got)


@judge.group("IoU of one pair: overlapping, inside, identical, touching, apart")
def one_pair(solution: Solution) -> None:
    for b in (
        "1, 1, 3, 4",
        "0.5, 0.5, 1, 1",
        "0, 0, 2, 2",
        "2, 0, 3, 2",
        "5, 0, 6, 2",
        "0, 7, 2, 8",
        "4, 5, 6, 7",
    ):
        ious(
            solution,
            f"a = torch.tensor([[0.0, 0, 2, 2]])\nb = torch.tensor([[{b}]], dtype=torch.float32)\n",
        )
    ious(
        solution,
        "a = torch.tensor([[-5.0, -3, -1, -2]])\nb = torch.tensor([[-4.0, -9, 2, 9]])\n",
    )


@judge.group("IoU of all pairs")
def all_pairs(solution: Solution) -> None:
    for N, M in [(2, 3), (7, 5), (4, 4), (1, 6), (6, 1), (0, 3), (3, 0), (0, 0)]:
        ious(
            solution,
            "torch.manual_seed(0)\n" + random_boxes("a", N) + random_boxes("b", M),
        )


@judge.group("IoU of boxes without area, and of small ones")
def special(solution: Solution) -> None:
    flat = (
        "torch.tensor([[1.0, 1, 1, 1], [0, 2, 5, 2], [0, 0, 4, 4], [3, 1, 3, 9]])\n"
    )
    ious(solution, f"a = {flat}b = {flat}")
    code = (
        "torch.manual_seed(1)\n"
        + random_boxes("a", 4, 0.01)
        + random_boxes("b", 3, 0.01)
    )
    ious(solution, code, 1e-5)
    ious(solution, code.replace("0.01", "1e-05").replace("0.001", "1e-06"), 1e-5)
    ious(
        solution,
        "torch.manual_seed(2)\n"
        + random_boxes("a", 4, 5000.0)
        + random_boxes("b", 3, 5000.0),
        1e-5,
    )
    code = (
        "torch.manual_seed(3)\n"
        + random_boxes("a", 3, 10, "float64")
        + random_boxes("b", 4, 10, "float64")
    )
    ious(solution, code, 1e-12)


@judge.group("IoU without a loop")
def loops(solution: Solution) -> None:
    counted = Operations()
    case = (
        "torch.manual_seed(0)\n"
        + random_boxes("a", 40)
        + random_boxes("b", 30)
        + "box_iou(a, b)"
    )
    solution.run(case, under=counted)
    many = counted.count
    true(
        many < 100,
        f"{many} operations for 40 times 30 boxes: do you loop over boxes?",
        "loop",
    )


@judge.group("suppression of few boxes")
def few(solution: Solution) -> None:
    pairs = "boxes = torch.tensor([[0.0, 0, 4, 4], [0, 0, 4, 3], [9, 9, 12, 12]])\n"
    for scores in ("0.9, 0.8, 0.7", "0.7, 0.8, 0.9", "0.8, 0.9, 0.1"):
        keeps(solution, pairs + f"scores = torch.tensor([{scores}])\n", 0.5)
    keeps(solution, pairs + "scores = torch.tensor([-1.0, -2.0, 3.0])\n", 0.8)


@judge.group("a dropped box drops nothing, and all kept ones count")
def chain(solution: Solution) -> None:
    row = "boxes = torch.tensor([[0.0, 0, 10, 1], [3, 0, 13, 1], [6, 0, 16, 1]])\n"
    keeps(solution, row + "scores = torch.tensor([0.9, 0.8, 0.7])\n", 0.4)
    back = (
        "boxes = torch.tensor([[0.0, 0, 10, 1], [50, 0, 60, 1], [1, 0, 11, 1]])\n"
    )
    keeps(solution, back + "scores = torch.tensor([0.9, 0.8, 0.7])\n", 0.4)


@judge.group("suppression of many boxes, of one and of none")
def many_boxes(solution: Solution) -> None:
    for N, threshold in [
        (12, 0.3),
        (20, 0.5),
        (15, 0.11),
        (30, 0.7),
        (1, 0.5),
        (0, 0.5),
    ]:
        code = (
            f"torch.manual_seed({N})\n"
            + random_boxes("boxes", N)
            + f"scores = torch.randn({N})\n"
        )
        keeps(solution, code, threshold)
    code = (
        "torch.manual_seed(6)\n"
        + random_boxes("boxes", 6)
        + "scores = torch.randn(6)\n"
    )
    keeps(solution, code, 1.0)
    code = (
        "torch.manual_seed(7)\n"
        + random_boxes("boxes", 5)
        + "boxes += 50 - boxes[:, :2].repeat(1, 2)\n"
    )
    keeps(solution, code + "scores = torch.randn(5)\n", 0.0)


@judge.group("nothing is made on another device")
def device(solution: Solution) -> None:
    code = "torch.manual_seed(0)\n" + random_boxes("a", 3) + random_boxes("b", 4)
    solution.on_meta(code + "box_iou(a, b)")
    solution.on_meta(
        random_boxes("boxes", 3)
        + "scores = torch.randn(3)\nnms(boxes, scores, 0.5)"
    )
    for N in (3, 0):
        on_another_default(solution, N)


def on_another_default(solution: Solution, N: int) -> None:
    """Fail if nms makes its result on the default device, which is not that of the boxes.

    nms has to read values, which boxes on the meta device lack. So here the boxes are on the CPU, and the default is
    meta.
    """
    code = (
        "torch.manual_seed(0)\n"
        + random_boxes("boxes", N)
        + f"scores = torch.randn({N})\nnms(boxes, scores, 0.5)"
    )
    said = "a tensor was made on the default device, not on that of boxes"
    try:
        got = solution.run(code, under=torch.device("meta")).got
    except Failure as failure:
        text = str(failure.got)
        # Who makes it there and moves it is right, but nothing can be moved from meta.
        if (
            isinstance(failure.got, BaseException)
            and "meta" in text
            and "cpu" in text
        ):
            raise Failure(said, failure.got) from None
        if not isinstance(failure.got, BaseException):
            raise
        return
    true(not isinstance(got, Tensor) or got.device.type == "cpu", said, got)


if __name__ == "__main__":
    main(judge)
