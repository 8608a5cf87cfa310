"""Judge of INT8 quantization by rows: python judge.py my_solution.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Case, Failure, Judge, Solution, close, main, true

INSTEAD = "compute scale and integers yourself"
judge = Judge(
    __file__,
    names={"quantize_rows": "function"},
    forbidden={
        "quantize_per_channel": INSTEAD,
        "quantize_per_tensor": INSTEAD,
        "quantize_per_tensor_dynamic": INSTEAD,
        "quantize_dynamic": INSTEAD,
        "fake_quantize_per_channel_affine": INSTEAD,
        "fake_quantize_per_tensor_affine": INSTEAD,
        "ao": INSTEAD,
    },
    unproven="speed and memory",
)


def check(case: Case, weight: Tensor) -> None:
    """Fail unless the scales are right, and each weight is at most half a step from what its integer stands for."""
    got = case.got
    true(
        isinstance(got, tuple) and len(got) == 2,
        f"returned {type(got).__name__}, expected the tuple (q, scale)",
        got,
    )
    q, scale = got
    largest = [max(abs(value) for value in row) for row in weight.double().tolist()]
    right = torch.tensor(
        [[one / 127 if one else 1.0] for one in largest], dtype=torch.float64
    )
    close(scale, right, 2e-6, 0.0, dtype=torch.float32, of="scale")
    if not isinstance(q, Tensor):
        raise Failure(f"q: returned {type(q).__name__}, expected a Tensor", q)
    true(
        q.shape == weight.shape,
        f"q: got shape {tuple(q.shape)}, expected {tuple(weight.shape)}",
        q,
    )
    true(q.dtype == torch.int8, f"q: got dtype {q.dtype}, expected torch.int8", q)
    true(
        not bool((q == -128).any()),
        "q contains -128, and should go from -127 to 127",
        q,
    )
    steps = weight.double() / right - q.double()
    if bool((steps.abs() > 0.5 + 1e-3).any()):
        i, j = divmod(int(steps.abs().argmax()), weight.shape[1])
        back = (q[i, j] * right[i, 0]).item()
        raise Failure(
            f"at ({i}, {j}) the weight is {weight[i, j].item():.6g} and q * scale is {back:.6g}: "
            f"{abs(steps[i, j].item()):.3g} steps off, at most 0.5 is possible",
            q,
        )


def matrix(rows: int, columns: int, dtype: str = "float32") -> str:
    return f"torch.manual_seed(0)\nweight = torch.randn({rows}, {columns}).to(torch.{dtype})\n"


@judge.group("scales, and every weight within half a step")
def numbers(solution: Solution) -> None:
    for rows, columns in [(1, 1), (1, 2), (2, 3), (3, 8), (7, 7), (5, 1), (4, 64)]:
        case = solution.run(matrix(rows, columns) + "quantize_rows(weight)")
        check(case, case.weight)


@judge.group("the largest weight is negative")
def negative(solution: Solution) -> None:
    case = solution.run(
        "weight = torch.tensor([[1.0, -3.0, 0.5], [-2.0, -0.7, -0.1]])\nquantize_rows(weight)"
    )
    check(case, case.weight)


@judge.group("rows of very different size, and rows of zeros")
def sizes(solution: Solution) -> None:
    for spoil in (
        "weight[0] *= 1e-4\nweight[2] *= 1e3",
        "weight[1] *= 1e-20",
        "weight[1] = 0",
        "weight[:] = 0",
    ):
        case = solution.run(matrix(3, 5) + f"{spoil}\nquantize_rows(weight)")
        check(case, case.weight)


@judge.group("float16 and bfloat16, also small weights")
def half(solution: Solution) -> None:
    for dtype in ("float16", "bfloat16"):
        for spoil in ("", "weight[0] *= 1e-4\n"):
            case = solution.run(
                matrix(3, 8, dtype) + f"{spoil}quantize_rows(weight)"
            )
            check(case, case.weight)
        # Many values: rounding in the dtype moves only those near a tie.
        case = solution.run(matrix(4, 64, dtype) + "quantize_rows(weight)")
        check(case, case.weight)


@judge.group("weight need not be contiguous")
def strides(solution: Solution) -> None:
    case = solution.run(matrix(6, 4) + "weight = weight.T\nquantize_rows(weight)")
    check(case, case.weight)


@judge.group("q * scale, quantized again, is the same q")
def again(solution: Solution) -> None:
    q, scale = solution.run(matrix(3, 8) + "quantize_rows(weight)").got
    case = solution.run(
        "weight = q * scale\nquantize_rows(weight)", q=q, scale=scale.detach()
    )
    close(case.got[0], q, 0.0, 0.0, dtype=torch.int8, of="q")


@judge.group("nothing is made on another device")
def device(solution: Solution) -> None:
    solution.on_meta(matrix(3, 8) + "quantize_rows(weight)")


if __name__ == "__main__":
    main(judge)
