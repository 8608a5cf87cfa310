"""Judge of a language model's loss: python judge.py my_solution.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Case, Judge, Solution, close, main, true

judge = Judge(
    __file__, names={"language_model_loss": "function"}, unproven="speed and memory"
)
CALL = "language_model_loss(logits, tokens, counts, documents"


def made(B: int, T: int, V: int, packed: int = 1, seed: int = 0) -> str:
    """The code that makes the arguments. packed: how many documents stand in a row, at most."""
    return f"""
torch.manual_seed({seed})
logits = 2 * torch.randn({B}, {T}, {V})
tokens = torch.randint({V}, ({B}, {T}))
counts = torch.rand({B}, {T}) < 0.7
documents = torch.randint({packed}, ({B}, {T})).sort(dim=1).values + 10 * torch.arange({B})[:, None]
"""


def expected(case: Case, total: int | None = None) -> Tensor:
    """The same in float64, token by token."""
    found, number = (case.logits.double() * 0).sum(), 0
    for b in range(len(case.tokens)):
        for t in range(1, case.tokens.shape[1]):
            if (
                case.counts[b, t]
                and case.documents[b, t - 1] == case.documents[b, t]
            ):
                row = case.logits[b, t - 1].double()
                found = found + row.logsumexp(0) - row[case.tokens[b, t]]
                number += 1
    return found / (max(1, number) if total is None else total)


def compare(
    solution: Solution, code: str, rest: str = "", near: float = 1e-4
) -> None:
    """Compare the loss and the gradient of the logits."""
    code += f"logits.requires_grad_()\nloss = {CALL}{rest})\n"
    case = solution.run(
        code + "torch.autograd.grad(loss, logits, allow_unused=True)"
    )
    total = getattr(case, "total", None)
    right = expected(case, None if total is None else int(total))
    close(case.loss, right.float(), near, 1e-6, of="loss")
    (want,) = torch.autograd.grad(right, case.logits)
    true(case.got[0] is not None, "no gradient reaches the logits")
    close(case.got[0], want, 1e-3, 1e-6, of="gradient of logits")


def numbers(solution: Solution, code: str) -> None:
    case = solution.run(code + CALL + ")")
    close(case.got, expected(case).float(), 1e-4, 1e-6)


@judge.group("one document, every token counts")
def plain(solution: Solution) -> None:
    for B, T, V in ((1, 2, 3), (1, 4, 3), (3, 5, 7), (2, 4, 4)):
        numbers(solution, made(B, T, V) + "counts[:] = True\n")


@judge.group("prompts and padding do not count")
def masked(solution: Solution) -> None:
    for B, T, V, seed in ((1, 4, 3, 1), (3, 6, 5, 2), (4, 4, 4, 3)):
        numbers(solution, made(B, T, V, seed=seed))
    code = made(2, 5, 4) + "counts = torch.arange(5) >= torch.tensor([[1], [4]])\n"
    numbers(solution, code)


@judge.group("several documents in a row")
def packed(solution: Solution) -> None:
    code = """
torch.manual_seed(0)
logits = torch.randn(1, 4, 3)
tokens = torch.tensor([[0, 1, 2, 0]])
counts = torch.ones(1, 4, dtype=torch.bool)
documents = torch.tensor([[0, 0, 1, 1]])
"""
    numbers(solution, code)
    for B, T, V, seed in ((1, 6, 3, 1), (3, 8, 5, 2), (4, 6, 6, 3)):
        numbers(solution, made(B, T, V, packed=3, seed=seed))


@judge.group("the total of all micro-batches")
def totals(solution: Solution) -> None:
    for total in (1, 7, 40):
        code = made(3, 6, 5, packed=2, seed=2) + f"total = torch.tensor({total})\n"
        compare(solution, code, ", total")


@judge.group("gradients of the logits")
def gradients(solution: Solution) -> None:
    compare(solution, made(1, 3, 4) + "counts[:] = True\n")
    compare(solution, made(3, 6, 5, packed=2, seed=2))


@judge.group("no token in the loss")
def nothing(solution: Solution) -> None:
    compare(solution, made(2, 3, 4) + "counts[:] = False\n")
    compare(solution, made(2, 1, 4) + "counts[:] = True\n")
    compare(solution, made(1, 3, 4) + "documents = torch.arange(3)[None]\n")
    code = made(2, 3, 4) + "counts[:] = False\ntotal = torch.tensor(9)\n"
    compare(solution, code, ", total")


@judge.group("logits of plus and minus a thousand")
def large(solution: Solution) -> None:
    compare(solution, made(3, 5, 4, seed=1) + "logits = 500 * logits\n")


@judge.group("bfloat16 logits, computed in float32")
def dtypes(solution: Solution) -> None:
    code = made(4, 40, 30, packed=3, seed=1) + "logits = logits.bfloat16()\n"
    case = solution.run(code + CALL + ")")
    close(case.got, expected(case).float(), 1e-4, 1e-5)
    true(
        case.got.dtype in (torch.float32, torch.float64),
        f"the loss is {case.got.dtype}, expected float32 or float64",
        case.got,
    )


@judge.group("nothing is made on another device")
def device(solution: Solution) -> None:
    solution.on_meta(made(2, 4, 3) + CALL + ")")


if __name__ == "__main__":
    main(judge)
