"""Judge of CLIP's contrastive loss: python judge.py my_solution.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Judge, Solution, close, main, true

judge = Judge(
    __file__,
    names={"contrastive_loss": "function"},
    unproven="speed, memory and several GPUs",
)
CALL = "contrastive_loss(image, text, log_scale)"
NAMES = ("image", "text", "log_scale")


def made(N: int, D: int, log_scale: float = 0.0, dtype: str = "float32") -> str:
    """The code that makes the arguments; rows are of different lengths."""
    of = "" if dtype == "float32" else f", dtype=torch.{dtype}"
    return f"""
torch.manual_seed(0)
image = torch.randn({N}, {D}{of}) * torch.linspace(0.5, 3, {N}{of})[:, None]
text = torch.randn({N}, {D}{of}) * 2
log_scale = torch.tensor({log_scale}{of})
"""


def expected(image: Tensor, text: Tensor, log_scale: Tensor) -> Tensor:
    """The same in float64, row by row in both directions. A row of zeros stays one."""

    def unit(row: Tensor) -> Tensor:
        return row / row.norm() if bool(row.any()) else torch.zeros_like(row)

    rows = [unit(row) for row in image.double()]
    columns = [unit(row) for row in text.double()]
    scale, N, total = (
        log_scale.double().exp(),
        len(rows),
        torch.zeros((), dtype=torch.float64),
    )
    for i in range(N):
        to_texts = torch.stack([scale * (rows[i] @ one) for one in columns])
        to_images = torch.stack([scale * (one @ columns[i]) for one in rows])
        total = total - to_texts.log_softmax(0)[i] - to_images.log_softmax(0)[i]
    return total / (2 * N)


@judge.group("numbers against a loop in both directions")
def numbers(solution: Solution) -> None:
    for N, D, log_scale in (
        (2, 3, 0.0),
        (4, 6, 0.0),
        (3, 3, -1.0),
        (5, 2, 4.605),
        (3, 4, 5.5),
        (3, 1, 1.0),
        (1, 4, 1.0),
    ):
        case = solution.run(made(N, D, log_scale) + CALL)
        right = expected(case.image, case.text, case.log_scale)
        close(case.got, right.float(), 1e-4, 1e-6, dtype=torch.float32)


@judge.group("the length of a row does not count, and pairs may change places")
def lengths(solution: Solution) -> None:
    code = made(4, 5, 2.0) + "{}" + CALL
    before = solution.run(code.format("")).got
    for change in (
        "image[1] *= 7\n",
        "text[2] *= 0.1\n",
        "image[2] *= 1e-4\n",
        "image, text = image.flip(0), text.flip(0)\n",
    ):
        close(solution.run(code.format(change)).got, before, 1e-4, 1e-6)


@judge.group("matched and orthogonal pairs with a large scale")
def matched(solution: Solution) -> None:
    case = solution.run(
        "image, text = 3 * torch.eye(4), 2 * torch.eye(4)\nlog_scale = torch.tensor(4.605)\n"
        + CALL
    )
    close(case.got, torch.zeros(()), 0.0, 1e-6)


@judge.group("gradients of the embeddings and of the scale")
def gradients(solution: Solution) -> None:
    for N, D, log_scale in ((2, 3, 0.0), (4, 6, 1.0), (3, 3, 2.0), (3, 4, 5.0)):
        code = (
            made(N, D, log_scale)
            + f"inputs = ({', '.join(NAMES)})\nfor one in inputs:\n    one.requires_grad_()\n"
        )
        case = solution.run(
            code + f"torch.autograd.grad({CALL}, inputs, allow_unused=True)"
        )
        want = torch.autograd.grad(expected(*case.inputs), case.inputs)
        for name, mine, theirs in zip(NAMES, case.got, want, strict=True):
            true(mine is not None, f"no gradient reaches {name}")
            close(mine, theirs, 1e-3, 1e-6, of=f"gradient of {name}")


@judge.group("a row of zeros")
def zeros(solution: Solution) -> None:
    for row in ("image[1] = 0.0", "text[0] = 0.0"):
        case = solution.run(made(3, 4, 1.0) + f"{row}\n{CALL}")
        close(
            case.got,
            expected(case.image, case.text, case.log_scale).float(),
            1e-4,
            1e-6,
        )
        code = (
            made(3, 4, 1.0)
            + f"{row}\ninputs = ({', '.join(NAMES)})\nfor one in inputs:\n    one.requires_grad_()\n"
        )
        case = solution.run(code + f"torch.autograd.grad({CALL}, inputs)")
        for name, mine in zip(NAMES, case.got, strict=True):
            true(
                not mine.isnan().any(),
                f"gradient of {name}: {int(mine.isnan().sum())} values are NaN",
                mine,
            )


@judge.group("float64")
def dtypes(solution: Solution) -> None:
    case = solution.run(made(3, 4, 1.0, dtype="float64") + CALL)
    close(
        case.got,
        expected(case.image, case.text, case.log_scale),
        1e-4,
        1e-6,
        dtype=torch.float64,
    )


@judge.group("nothing is made on another device")
def device(solution: Solution) -> None:
    solution.on_meta(made(3, 4) + CALL)


if __name__ == "__main__":
    main(judge)
