"""Judge of grouped-query attention: python judge.py my_solution.py"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Case, Judge, Solution, close, main, true

INSTEAD = "write scores, softmax and the weighted sum yourself"
judge = Judge(
    __file__,
    names={"grouped_query_attention": "function"},
    forbidden={
        "scaled_dot_product_attention": INSTEAD,
        "multi_head_attention_forward": INSTEAD,
        "MultiheadAttention": INSTEAD,
        "flex_attention": INSTEAD,
    },
    unproven="speed, and whether keys and values are copied",
)


def made(
    B: int, Hq: int, Hkv: int, T: int, S: int, D: int, dtype: str = "float32"
) -> str:
    """The code that makes q, k and v."""
    code = f"""
torch.manual_seed(0)
q = torch.randn({B}, {Hq}, {T}, {D}).to(torch.{dtype})
k = torch.randn({B}, {Hkv}, {S}, {D}).to(torch.{dtype})
v = torch.randn({B}, {Hkv}, {S}, {D}).to(torch.{dtype})
"""
    return code.replace(".to(torch.float32)", "")


def expected(q: Tensor, k: Tensor, v: Tensor, causal: bool = False) -> Tensor:
    """The same in float64, head by head and query by query."""
    q, k, v = q.double(), k.double(), v.double()
    Hq, T, D = q.shape[1:]
    Hkv, S = k.shape[1:3]
    heads = []
    for h in range(Hq):
        keys, values = k[:, h * Hkv // Hq], v[:, h * Hkv // Hq]  # (B, S, D)
        rows = []
        for t in range(T):
            seen = S - T + t + 1 if causal else S
            scores = (keys[:, :seen] * q[:, h, t, None]).sum(-1) / math.sqrt(D)
            rows.append((scores.softmax(-1)[..., None] * values[:, :seen]).sum(1))
        heads.append(torch.stack(rows, dim=1))
    return torch.stack(heads, dim=1)


def check(
    solution: Solution,
    code: str,
    causal: bool = False,
    near: float = 1e-4,
    size: float = 0.1,
) -> Case:
    """Run a case and compare; of values below ``size``, the absolute difference."""
    more = ", causal=True" if causal else ""
    case = solution.run(f"{code}grouped_query_attention(q, k, v{more})")
    right = expected(case.q, case.k, case.v, causal).to(case.q.dtype)
    close(case.got, right, near, near * size, dtype=case.q.dtype)
    return case


@judge.group("as many key-value heads as query heads")
def multi_head(solution: Solution) -> None:
    for B, H, T, S, D in [(1, 1, 1, 2, 2), (2, 3, 4, 5, 8), (3, 3, 3, 3, 3)]:
        check(solution, made(B, H, H, T, S, D))


# B, Hq, Hkv, T, S, D: groups of two, of three, one group, one query.
SIZES = [
    (1, 4, 2, 1, 2, 2),
    (2, 6, 2, 3, 5, 8),
    (3, 4, 1, 2, 2, 4),
    (2, 8, 4, 1, 6, 3),
]


@judge.group("groups of query heads")
def groups(solution: Solution) -> None:
    for sizes in SIZES:
        check(solution, made(*sizes))


@judge.group("causal, without and with a cache")
def causality(solution: Solution) -> None:
    for sizes in [
        (1, 2, 1, 2, 2, 2),
        (1, 2, 1, 2, 3, 2),
        (2, 6, 2, 5, 5, 4),
        *SIZES,
    ]:
        check(solution, made(*sizes), causal=True)


@judge.group("Hkv has to divide Hq")
def divides(solution: Solution) -> None:
    for Hq, Hkv in ((8, 3), (6, 4), (2, 4)):
        code = made(1, Hq, Hkv, 2, 3, 4)
        solution.refuses(code + "grouped_query_attention(q, k, v)")


@judge.group("a key-value head reaches the query heads of its group alone")
def sharing(solution: Solution) -> None:
    for Hq, Hkv, head in ((6, 3, 1), (6, 2, 0), (4, 4, 2)):
        code = made(2, Hq, Hkv, 3, 5, 4)
        before = solution.run(code + "grouped_query_attention(q, k, v)").got
        code += (
            f"k[:, {head}] = torch.randn(2, 5, 4)\ngrouped_query_attention(q, k, v)"
        )
        after = solution.run(code).got
        moved = (after - before).abs().amax(dim=(0, 2, 3)) > 1e-4
        mine = [h for h in range(Hq) if moved[h]]
        right = [h for h in range(Hq) if h * Hkv // Hq == head]
        text = f"key head {head} reaches the query heads {mine}, expected {right}"
        true(mine == right, text, after)


@judge.group("gradients")
def gradients(solution: Solution) -> None:
    for causal in ("", ", causal=True"):
        code = made(2, 6, 2, 3, 5, 4)
        code += "for one in (q, k, v):\n    one.requires_grad_()\n"
        case = solution.run(f"{code}grouped_query_attention(q, k, v{causal})")
        inputs = [case.q, case.k, case.v]
        right = expected(*inputs, bool(causal))
        slope = torch.arange(right.numel()).double().cos().reshape(right.shape)
        want = torch.autograd.grad((right * slope).sum(), inputs)
        true(case.got.requires_grad, "no gradient reaches q, k and v", case.got)
        total = (case.got * slope.float()).sum()
        have = torch.autograd.grad(total, inputs, allow_unused=True)
        for name, mine, theirs in zip("qkv", have, want, strict=True):
            true(mine is not None, f"no gradient reaches {name}")
            close(mine, theirs, 1e-3, 1e-5, of=f"gradient of {name}")


@judge.group("q, k and v need not be contiguous")
def strides(solution: Solution) -> None:
    code = """
torch.manual_seed(0)
q = torch.randn(2, 3, 6, 4).transpose(1, 2)
k = torch.randn(2, 5, 2, 4).transpose(1, 2)
v = torch.randn(2, 2, 4, 5).transpose(2, 3)
"""
    check(solution, code)
    check(solution, code, causal=True)


@judge.group("scores of several hundred")
def large(solution: Solution) -> None:
    for causal in (False, True):
        code = made(2, 6, 2, 5, 5, 4) + "q *= 300\n"
        check(solution, code, causal, near=1e-3)


@judge.group("float64, bfloat16 and float16")
def dtypes(solution: Solution) -> None:
    # A weight that was rounded to half precision adds to sums that may cancel.
    for dtype, near in (("float64", 1e-5), ("bfloat16", 3e-2), ("float16", 1e-2)):
        for causal in (False, True):
            check(solution, made(2, 6, 2, 3, 5, 4, dtype), causal, near, 1.0)


@judge.group("nothing is made on another device")
def device(solution: Solution) -> None:
    for causal in ("", ", causal=True"):
        code = made(2, 6, 2, 3, 5, 4)
        solution.on_meta(f"{code}grouped_query_attention(q, k, v{causal})")


if __name__ == "__main__":
    main(judge)
