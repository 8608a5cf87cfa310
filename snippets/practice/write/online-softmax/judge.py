"""Judge of attention over blocks of keys: python judge.py my_solution.py"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Case, Judge, Largest, Solution, close, main, true

INSTEAD = "write scores, running sums and the weighted sum yourself"
judge = Judge(
    __file__,
    names={"blockwise_attention": "function"},
    forbidden={
        "scaled_dot_product_attention": INSTEAD,
        "multi_head_attention_forward": INSTEAD,
        "MultiheadAttention": INSTEAD,
        "flex_attention": INSTEAD,
    },
    unproven="speed",
)


def made(B: int, H: int, T: int, S: int, D: int) -> str:
    """The code that makes q, k and v, such that scores are of the size of one."""
    return f"""
torch.manual_seed(0)
q = torch.randn({B}, {H}, {T}, {D})
k = torch.randn({B}, {H}, {S}, {D})
v = torch.randn({B}, {H}, {S}, {D})
"""


def expected(case: Case, causal: bool = False) -> Tensor:
    """Softmax attention in float64, query by query, all keys at once."""
    q, k, v = case.q.double(), case.k.double(), case.v.double()
    rows = []
    for t in range(q.shape[2]):
        seen = t + 1 if causal else k.shape[2]
        scores = (k[:, :, :seen] * q[:, :, t, None]).sum(-1) / math.sqrt(
            q.shape[-1]
        )
        rows.append((scores.softmax(-1)[..., None] * v[:, :, :seen]).sum(2))
    return torch.stack(rows, dim=2).to(case.q.dtype)


def check(
    solution: Solution,
    code: str,
    block: int,
    causal: bool = False,
    near: float = 1e-4,
) -> None:
    """Run a case and compare."""
    more = ", causal=True" if causal else ""
    code += f"blockwise_attention(q, k, v, {block}{more})"
    case = solution.run(code, under=torch.no_grad())
    close(case.got, expected(case, causal), near, near / 10, dtype=case.q.dtype)


SIZES = [(1, 1, 1, 1, 1), (1, 1, 2, 3, 2), (2, 3, 5, 7, 4), (3, 3, 3, 3, 3)]


@judge.group("all keys in one block")
def one_block(solution: Solution) -> None:
    for B, H, T, S, D in SIZES:
        for block in (S, 2 * S):
            check(solution, made(B, H, T, S, D), block)


@judge.group("several blocks")
def blocks(solution: Solution) -> None:
    for B, H, T, S, D in [*SIZES[1:], (2, 1, 1, 6, 8)]:
        for block in (1, 2, 3, 5):
            check(solution, made(B, H, T, S, D), block)


@judge.group("causal")
def causality(solution: Solution) -> None:
    for B, H, T, D in [(1, 1, 1, 1), (1, 1, 2, 2), (2, 3, 7, 4), (4, 4, 4, 4)]:
        for block in (T, 1, 2, 3, 2 * T):
            check(solution, made(B, H, T, T, D), block, causal=True)


@judge.group("scores that rise or fall from block to block")
def slopes(solution: Solution) -> None:
    for first, last in ((0, 8), (8, 0), (0, 80), (80, 0)):
        code = f"""
torch.manual_seed(0)
q = 1 + torch.rand(1, 2, 7, 4)
k = torch.rand(1, 2, 7, 4) + torch.linspace({first}, {last}, 7)[:, None]
v = torch.randn(1, 2, 7, 4)
"""
        for block in (1, 3):
            check(solution, code, block, near=1e-3)
            check(solution, code, block, causal=True, near=1e-3)


@judge.group("scores around -1000, around 1000, and around -20,000")
def large(solution: Solution) -> None:
    for sign in ("-", ""):
        code = f"""
torch.manual_seed(0)
q = 20 + torch.randn(2, 1, 5, 4)
k = {sign}25 + torch.randn(2, 1, 5, 4) / 10
v = torch.randn(2, 1, 5, 4)
"""
        for block in (1, 2, 5):
            check(solution, code, block, near=5e-3)
            check(solution, code, block, causal=True, near=5e-3)
    # Scores that are exact in float32; a running logsumexp is not.
    code = """
torch.manual_seed(0)
q = torch.full((2, 1, 5, 4), 100.0)
k = -100 + torch.randint(0, 5, (2, 1, 5, 4)) / 64
v = torch.randn(2, 1, 5, 4)
"""
    for block in (1, 2, 5):
        check(solution, code, block, near=5e-3)
        check(solution, code, block, causal=True, near=5e-3)


@judge.group("q, k and v need not be contiguous")
def strides(solution: Solution) -> None:
    code = """
torch.manual_seed(0)
q = torch.randn(2, 5, 3, 4).transpose(1, 2)
k = torch.randn(2, 7, 3, 4).transpose(1, 2)
v = torch.randn(2, 3, 4, 7).transpose(2, 3)
"""
    check(solution, code, 2)


@judge.group("bfloat16 and float16, summed up in float32")
def dtypes(solution: Solution) -> None:
    for dtype, near in (("bfloat16", 3e-2), ("float16", 1e-2)):
        for S, block in ((7, 3), (300, 1)):
            code = made(1, 2, 4, S, 8)
            code += f"q, k, v = (one.to(torch.{dtype}) for one in (q, k, 1 + v))\n"
            check(solution, code, block, near=near)


@judge.group("no T x S matrix")
def memory(solution: Solution) -> None:
    for B, H, T, D, block in [
        (1, 1, 96, 8, 16),
        (2, 3, 32, 4, 5),
        (1, 2, 40, 8, 1),
    ]:
        for causal in ("", ", causal=True"):
            code = made(B, H, T, T, D)
            largest = Largest()
            with torch.no_grad():
                call = f"blockwise_attention(q, k, v, {block}{causal})"
                solution.run(code + call, under=largest)
            allowed = B * H * T * max(block, D) + B * H * (T + T) * D
            true(
                largest.elements <= allowed,
                f"a tensor of {largest.elements} elements was made, and {allowed}"
                f" are allowed (the scores of all keys are {B * H * T * T})",
                largest.elements,
            )


@judge.group("nothing is made on another device")
def device(solution: Solution) -> None:
    for causal in ("", ", causal=True"):
        code = made(2, 3, 5, 5, 4)
        solution.on_meta(code + f"blockwise_attention(q, k, v, 2{causal})")


if __name__ == "__main__":
    main(judge)
