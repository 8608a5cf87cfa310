"""Judge of softmax cross-entropy and its gradient: python judge.py my_solution.py"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Case, Failure, Judge, Solution, close, main, true

INSTEAD = "write it with exp, log and sum (logsumexp may be called)"
FORMULA = "write the formula of the gradient"
judge = Judge(
    __file__,
    names={"cross_entropy": "function"},
    forbidden={
        **dict.fromkeys(
            (
                "cross_entropy",
                "cross_entropy_loss",
                "CrossEntropyLoss",
                "nll_loss",
                "NLLLoss",
            ),
            INSTEAD,
        ),
        **dict.fromkeys(
            (
                "log_softmax",
                "LogSoftmax",
                "softmax",
                "Softmax",
                "kl_div",
                "softmin",
            ),
            INSTEAD,
        ),
        **dict.fromkeys(
            (
                "autograd",
                "backward",
                "enable_grad",
                "requires_grad_",
                "vjp",
                "jacrev",
            ),
            FORMULA,
        ),
    },
    unproven="speed and memory",
)


@contextlib.contextmanager
def without_autograd() -> Iterator[None]:
    """torch.no_grad(), under which torch.func.grad would still work."""

    def refuse(*args: object, **kwargs: object) -> None:
        raise Failure(f"it calls torch.func.grad, which is forbidden: {FORMULA}")

    kept = torch.func.grad, torch.func.grad_and_value
    torch.func.grad = torch.func.grad_and_value = refuse
    try:
        with torch.no_grad():
            yield
    finally:
        torch.func.grad, torch.func.grad_and_value = kept


def made(
    N: int, V: int, targets: str = "", scale: float = 1.0, dtype: str = "float32"
) -> str:
    """The code that makes logits and targets."""
    times = "" if scale == 1 else f" * {scale:g}"
    of = "" if dtype == "float32" else f", dtype=torch.{dtype}"
    given = f"torch.tensor({targets})" if targets else f"torch.randint({V}, ({N},))"
    return f"torch.manual_seed(0)\nlogits = torch.randn({N}, {V}{of}){times}\ntargets = {given}\n"


def expected(
    logits: Tensor,
    targets: Tensor,
    ignore_index: int = -100,
    smoothing: float = 0.0,
) -> tuple[Tensor, Tensor]:
    """torch's own in float64, and autograd's gradient; zeros where nothing counts, for which torch gives NaN."""
    logits = logits.detach().double().requires_grad_()
    if bool((targets == ignore_index).all()):
        return torch.zeros((), dtype=torch.float64), torch.zeros_like(logits)
    loss = F.cross_entropy(
        logits, targets, ignore_index=ignore_index, label_smoothing=smoothing
    )
    return loss.detach(), torch.autograd.grad(loss, logits)[0]


def compare(
    solution: Solution,
    code: str,
    options: dict[str, float] | None = None,
    atol: float = 1e-6,
) -> Case:
    options = options or {}
    call = (
        "cross_entropy(logits, targets"
        + "".join(f", {name}={value}" for name, value in options.items())
        + ")"
    )
    case = solution.run(code + call, under=without_autograd())
    got = case.got
    pair = isinstance(got, (tuple, list)) and len(got) == 2
    true(
        pair,
        f"returned {type(got).__name__}, expected a tuple of the loss and its gradient",
        got,
    )
    ignore = int(options.get("ignore_index", -100))
    loss, gradient = expected(
        case.logits, case.targets, ignore, options.get("label_smoothing", 0.0)
    )
    close(got[0], loss, 1e-5, atol, of="loss")
    close(
        got[1],
        gradient,
        1e-4,
        min(atol, 1e-4),
        dtype=case.logits.dtype,
        of="gradient",
    )
    rows = got[1][case.targets == ignore]
    true(not rows.any(), "the gradient of an ignored row is not exactly 0", rows)
    return case


@judge.group("loss and gradient against torch in float64")
def numbers(solution: Solution) -> None:
    for N, V in ((1, 2), (5, 3), (4, 4), (3, 7), (1, 5), (2, 1)):
        compare(solution, made(N, V))


@judge.group("logits need not be contiguous")
def strides(solution: Solution) -> None:
    compare(solution, made(3, 5) + "logits = torch.randn(5, 3).T\n")


@judge.group("ignored positions")
def ignored(solution: Solution) -> None:
    for targets in (
        "[1, -100, 2]",
        "[-100, 1, 2, -100, 4, -100]",
        "[-100, 3, -100]",
    ):
        compare(solution, made(targets.count(",") + 1, 5, targets))
    compare(solution, made(3, 1, "[0, -100, 0]"))
    compare(solution, made(4, 3, "[0, 2, 0, 1]"), {"ignore_index": 0})
    compare(solution, made(4, 3, "[0, 2, 1, 1]"), {"ignore_index": 2})
    # No class, but a number above them, as segmentation masks have it.
    compare(solution, made(4, 3, "[0, 255, 1, 255]"), {"ignore_index": 255})


@judge.group("everything is ignored: 0 and not NaN")
def nothing(solution: Solution) -> None:
    compare(solution, made(3, 4, "[-100, -100, -100]"))
    compare(
        solution, made(2, 3, "[1, 1]"), {"ignore_index": 1, "label_smoothing": 0.1}
    )


@judge.group("label smoothing")
def smoothing(solution: Solution) -> None:
    compare(solution, made(4, 5), {"label_smoothing": 0.1})
    compare(solution, made(3, 2), {"label_smoothing": 1.0})
    compare(
        solution,
        made(4, 3, "[0, 2, 0, 1]"),
        {"ignore_index": 0, "label_smoothing": 0.3},
    )


@judge.group("logits of 1e4 and -1e4")
def large(solution: Solution) -> None:
    # x - logsumexp(x) rounds at the size of x.
    compare(
        solution,
        "logits = torch.tensor([[0.0, 1000.0]])\ntargets = torch.tensor([0])\n",
        atol=2e-3,
    )
    compare(solution, made(4, 5, scale=1e4), atol=2e-3)
    compare(solution, made(4, 5) + "logits = logits - 1e4\n", atol=2e-3)
    compare(solution, made(4, 5, scale=1e4), {"label_smoothing": 0.1}, atol=2e-3)


@judge.group("float64")
def dtypes(solution: Solution) -> None:
    case = compare(
        solution,
        made(4, 5, "[-100, 2, 0, 4]", dtype="float64"),
        {"label_smoothing": 0.2},
    )
    _, gradient = expected(case.logits, case.targets, smoothing=0.2)
    close(case.got[1], gradient, 1e-10, 1e-12, of="gradient")


@judge.group("nothing is made on another device")
def device(solution: Solution) -> None:
    solution.on_meta(
        made(4, 5) + "cross_entropy(logits, targets, label_smoothing=0.1)",
        under=without_autograd(),
    )


if __name__ == "__main__":
    main(judge)
