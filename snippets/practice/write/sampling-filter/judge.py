"""Judge of temperature, top-k and top-p: python judge.py my_solution.py"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Judge, Solution, close, main, true

judge = Judge(
    __file__,
    names={"sampling_distribution": "function"},
    unproven="speed and memory",
)


def expected(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """The same token by token, in Python's floats."""
    rows = []
    for row in logits.double().tolist():
        kept = sorted(range(len(row)), key=lambda token: -row[token])
        kept = kept[: 1 if temperature == 0 else top_k]
        best = row[kept[0]]
        mass = [
            math.exp((row[token] - best) / (temperature or 1.0)) for token in kept
        ]
        total, before, full = math.fsum(mass), 0.0, [0.0] * len(row)
        for token, one in zip(kept, mass, strict=True):
            if top_p is None or top_p == 1.0 or before < top_p * total:
                full[token] = one
            before += one
        rows.append([one / math.fsum(full) for one in full])
    return torch.tensor(rows, dtype=torch.float64)


def check(
    solution: Solution, code: str, near: float = 1e-4, **settings: float | None
) -> None:
    """Run a case and compare. Tokens that are not kept have to have exactly 0."""
    given = "".join(f", {name}={value}" for name, value in settings.items())
    case = solution.run(f"{code.strip()}\nsampling_distribution(logits{given})")
    right = expected(case.logits, **settings)
    close(case.got, right, near, near / 1000, dtype=torch.float32)
    sums = case.got.double().sum(-1)
    close(sums, torch.ones_like(sums), 1e-5, 1e-5, of="sums of the rows")
    some = int(((case.got != 0) & (right == 0)).sum())
    true(
        some == 0, f"{some} tokens that are dropped do not have exactly 0", case.got
    )
    none = int(((case.got == 0) & (right > 1e-30)).sum())
    true(none == 0, f"{none} tokens that are kept have probability 0", case.got)


SIZES = [(1, 1), (1, 4), (4, 12), (5, 5)]


def made(B: int, V: int, seed: int = 0) -> str:
    """The code that makes logits whose probabilities differ much."""
    return f"torch.manual_seed({seed})\nlogits = torch.randn({B}, {V}) * 2"


@judge.group("temperature alone, and no setting at all")
def temperatures(solution: Solution) -> None:
    for B, V in SIZES:
        check(solution, made(B, V))
        for temperature in (1.0, 0.5, 2.0):
            check(solution, made(B, V), temperature=temperature)


@judge.group("top-k alone")
def top_k(solution: Solution) -> None:
    for B, V in SIZES:
        for k in (1, 2, 3, V, V + 5):
            check(solution, made(B, V), top_k=k)


@judge.group("top-p alone: the token that crosses the threshold is kept")
def top_p(solution: Solution) -> None:
    code = "logits = torch.tensor([[0.3, 0.05, 0.5, 0.15]]).log()"
    for p in (0.6, 0.4999, 0.5001, 0.1, 0.7999, 0.8001, 0.96):
        check(solution, code, top_p=p)
    rare = "logits = torch.tensor([[0.0002, 0.0997, 0.9, 0.0001]]).log()"
    check(solution, rare, top_p=0.9995)
    for B, V in SIZES:
        for p in (0.05, 0.5, 0.9, 0.99, 1.0):
            check(solution, made(B, V), top_p=p)


@judge.group("temperature 0")
def greedy(solution: Solution) -> None:
    for B, V in SIZES:
        check(solution, made(B, V), temperature=0.0)
    check(solution, made(3, 5), temperature=0)
    nearly = "logits = torch.tensor([[1.0, 1.0000002, 0.5]])"
    check(solution, nearly, temperature=0.0)
    case = solution.run(
        "logits = torch.zeros(2, 3)\nsampling_distribution(logits, 0.0)"
    )
    right = torch.tensor([[0.0, 0.0, 1.0]]).expand(2, 3)
    close(case.got.sort(dim=-1).values, right, of="equal logits, each row sorted")
    check(solution, made(3, 5), temperature=0.0, top_k=3, top_p=0.9)


@judge.group("all three together, in this order")
def together(solution: Solution) -> None:
    for temperature in (0.5, 1.0, 2.0):
        for k in (None, 1, 3, 20):
            for p in (0.05, 0.5, 0.9, 1.0):
                code = made(4, 12, seed=1)
                check(solution, code, temperature=temperature, top_k=k, top_p=p)


@judge.group("top_p = 1.0 keeps the rarest token")
def tail(solution: Solution) -> None:
    for code in (
        "logits = torch.tensor([[0.0, -20.0, -21.0, -5.0]])",
        "logits = torch.zeros(2, 1000)\nlogits[:, 7] = 30.0",
    ):
        for temperature in (1.0, 0.8):
            check(solution, code, temperature=temperature, top_p=1.0)


@judge.group("banned tokens, and large logits")
def extremes(solution: Solution) -> None:
    banned = made(3, 6) + "\nlogits[0, :5] = logits[1, 2] = -math.inf"
    large = "logits = torch.tensor([[1e4, -1e4, 9999.0], [-1e4, -9998.0, -9999.0]])"
    shifted = made(2, 7) + "\nlogits += 100"
    for code in (banned, large, shifted):
        # Logits of 1e4 divided by a temperature are rounded.
        near = 5e-3 if code == large else 1e-4
        check(solution, code)
        check(solution, code, near, temperature=0.7, top_k=4)
        check(solution, code, near, temperature=1.5, top_p=0.85)
        check(solution, code, top_k=2, top_p=0.6)
        check(solution, code, temperature=0.0)


@judge.group("float16, bfloat16 and float64")
def dtypes(solution: Solution) -> None:
    for dtype in ("float16", "bfloat16", "float64"):
        code = made(3, 9) + f"\nlogits = logits.to(torch.{dtype})"
        check(solution, code)
        check(solution, code, temperature=0.0)
        check(solution, code, temperature=0.7, top_k=5, top_p=0.85)


@judge.group("logits need not be contiguous")
def strides(solution: Solution) -> None:
    code = made(9, 3) + "\nlogits = logits.T"
    check(solution, code, temperature=0.7, top_k=5, top_p=0.85)


@judge.group("nothing is drawn")
def drawn(solution: Solution) -> None:
    for given in ("", ", 0.7, 5, 0.85", ", 0.0"):
        case = solution.run(
            f"{made(3, 9)}\nstate = torch.get_rng_state()\n"
            f"[sampling_distribution(logits{given}), torch.get_rng_state()]"
        )
        drew = not torch.equal(case.state, case.got[1])
        true(not drew, "it drew a random number", drew)


@judge.group("nothing is made on another device")
def device(solution: Solution) -> None:
    for given in ("", ", 0.7, 5", ", 0.7, None, 0.85", ", 0.0"):
        solution.on_meta(f"{made(3, 9)}\nsampling_distribution(logits{given})")


if __name__ == "__main__":
    main(judge)
