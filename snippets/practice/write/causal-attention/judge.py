"""Judge of causal multi-head self-attention: python judge.py my_solution.py"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Judge, Solution, close, main, true

INSTEAD = "write scores, softmax and the weighted sum yourself"
judge = Judge(
    __file__,
    names={"multi_head_attention": "function"},
    forbidden={
        "scaled_dot_product_attention": INSTEAD,
        "multi_head_attention_forward": INSTEAD,
        "MultiheadAttention": INSTEAD,
        "Transformer": INSTEAD,
        "TransformerEncoderLayer": INSTEAD,
        "TransformerDecoderLayer": INSTEAD,
    },
    unproven="speed and memory",
)


def made(
    B: int,
    T: int,
    C: int,
    seed: int = 0,
    dtype: str = "float32",
    scale: float = 1.0,
) -> str:
    """The code that makes x and the weights; weights are such that scores are of
    the size of one at ``scale`` 1.
    """
    return f"""
torch.manual_seed({seed})
x = torch.randn({B}, {T}, {C}).to(torch.{dtype})
w_qkv = (torch.randn({3 * C}, {C}) * {scale / math.sqrt(C):.3g}).to(torch.{dtype})
w_out = (torch.randn({C}, {C}) * {1 / math.sqrt(C):.3g}).to(torch.{dtype})
"""


def expected(
    x: Tensor,
    w_qkv: Tensor,
    w_out: Tensor,
    n_heads: int,
    keep: Tensor | None = None,
) -> Tensor:
    """The same in float64, query by query. Rows of padding are NaN: they are left
    open.
    """
    x, w_qkv, w_out = x.double(), w_qkv.double(), w_out.double()
    B, T, C = x.shape
    D = C // n_heads
    rows = []
    for b in range(B):
        q, k, v = (x[b] @ w.T for w in w_qkv.split(C))
        for t in range(T):
            keys = [s for s in range(t + 1) if keep is None or keep[b, s]]
            if keep is not None and not keep[b, t]:
                rows.append(x.new_full((C,), math.nan))
                continue
            heads = []
            for h in range(n_heads):
                own = slice(h * D, (h + 1) * D)
                weights = torch.stack(
                    [q[t, own] @ k[s, own] / math.sqrt(D) for s in keys]
                ).softmax(0)
                heads.append(
                    sum(
                        weight * v[s, own]
                        for weight, s in zip(weights, keys, strict=True)
                    )
                )
            rows.append(torch.cat(heads) @ w_out.T)
    return torch.stack(rows).reshape(B, T, C)


@judge.group("numbers against a loop over queries and keys")
def numbers(solution: Solution) -> None:
    for B, T, C, H in [
        (1, 1, 2, 1),
        (1, 2, 2, 1),
        (2, 5, 12, 3),
        (3, 3, 9, 3),
        (2, 7, 4, 4),
        (4, 4, 16, 4),
    ]:
        case = solution.run(
            made(B, T, C) + f"multi_head_attention(x, w_qkv, w_out, {H})"
        )
        close(
            case.got,
            expected(case.x, case.w_qkv, case.w_out, H).float(),
            dtype=torch.float32,
        )


@judge.group("n_heads has to divide C")
def heads(solution: Solution) -> None:
    solution.refuses(made(2, 3, 10) + "multi_head_attention(x, w_qkv, w_out, 3)")


@judge.group("x need not be contiguous")
def strides(solution: Solution) -> None:
    code = (
        made(5, 2, 12)
        + "x = x.transpose(0, 1)\nmulti_head_attention(x, w_qkv, w_out, 3)"
    )
    case = solution.run(code)
    close(case.got, expected(case.x, case.w_qkv, case.w_out, 3).float())


@judge.group("a later token changes no earlier row")
def causality(solution: Solution) -> None:
    code = made(2, 6, 12) + "{}multi_head_attention(x, w_qkv, w_out, 3)"
    before = solution.run(code.format("")).got
    after = solution.run(code.format("x[:, 4:] = 3.0\n"))
    close(after.got[:, :4], before[:, :4], 1e-6, 1e-6, of="rows 0 to 3")


@judge.group("padding on the right and on the left")
def padding(solution: Solution) -> None:
    for side in (
        "keep[0, 3:] = False",
        "keep[0, :2] = False",
        "keep[0, 3:] = False\nkeep[1, :4] = False",
    ):
        code = (
            made(2, 5, 12) + f"keep = torch.ones(2, 5, dtype=torch.bool)\n{side}\n"
        )
        case = solution.run(code + "multi_head_attention(x, w_qkv, w_out, 3, keep)")
        right = expected(case.x, case.w_qkv, case.w_out, 3, case.keep).float()
        true(
            bool(torch.isfinite(case.got).all()),
            f"{int((~case.got.isfinite()).sum())} values are not finite",
            case.got,
        )
        # Rows of padding are left open.
        close(
            torch.where(case.keep[..., None], case.got, 0.0),
            torch.where(case.keep[..., None], right, 0.0),
        )


@judge.group("gradients, also in the padding")
def gradients(solution: Solution) -> None:
    for mask in ("None", "keep"):
        code = (
            made(2, 5, 12)
            + "keep = torch.ones(2, 5, dtype=torch.bool)\n"
            + "keep[0, :2] = False\nkeep[1, 4:] = False\n"
            + "for one in (x, w_qkv, w_out):\n    one.requires_grad_()\n"
            + f"multi_head_attention(x, w_qkv, w_out, 3, {mask})"
        )
        case = solution.run(code)
        keep = case.keep if mask == "keep" else torch.ones(2, 5, dtype=torch.bool)
        slope = (
            torch.arange(case.x.numel(), dtype=torch.float64)
            .reshape(case.x.shape)
            .cos()
            * keep[..., None]
        )
        names = ("x", "w_qkv", "w_out")
        inputs = [getattr(case, name) for name in names]
        right = expected(*inputs, 3, case.keep if mask == "keep" else None)
        want = torch.autograd.grad(
            (torch.where(keep[..., None], right, 0.0) * slope).sum(), inputs
        )
        have = torch.autograd.grad(
            (case.got * slope.float()).sum(), inputs, allow_unused=True
        )
        for name, mine, theirs in zip(names, have, want, strict=True):
            true(mine is not None, f"no gradient reaches {name}")
            close(mine, theirs, 1e-3, 1e-4, of=f"gradient of {name}")


@judge.group("large scores, and float16, bfloat16, float64")
def dtypes(solution: Solution) -> None:
    case = solution.run(
        made(2, 5, 12, scale=30) + "multi_head_attention(x, w_qkv, w_out, 3)"
    )
    close(case.got, expected(case.x, case.w_qkv, case.w_out, 3).float(), 1e-3, 1e-3)
    # Scores below -10,000 are not below a masked one.
    case = solution.run(
        made(2, 5, 12, scale=400) + "multi_head_attention(x, w_qkv, w_out, 3)"
    )
    close(case.got, expected(case.x, case.w_qkv, case.w_out, 3).float(), 1e-2, 1e-2)
    for dtype, tolerance in (
        ("float64", 1e-10),
        ("float16", 2e-2),
        ("bfloat16", 1e-1),
    ):
        code = (
            made(2, 5, 12, dtype=dtype)
            + "keep = torch.ones(2, 5, dtype=torch.bool)\nkeep[0, :2] = False\n"
        )
        case = solution.run(code + "multi_head_attention(x, w_qkv, w_out, 3, keep)")
        right = expected(case.x, case.w_qkv, case.w_out, 3, case.keep)
        true(
            bool(torch.isfinite(case.got).all()),
            f"{dtype}: values are not finite",
            case.got,
        )
        real = case.keep[..., None]
        true(
            case.got.dtype == case.x.dtype,
            f"got dtype {case.got.dtype}, expected {case.x.dtype}",
            case.got,
        )
        close(
            torch.where(real, case.got, 0.0),
            torch.where(real, right, 0.0),
            tolerance,
            tolerance,
        )


@judge.group("nothing is made on another device")
def device(solution: Solution) -> None:
    for keep in ("None", "torch.ones(2, 5, dtype=torch.bool)"):
        solution.on_meta(
            made(2, 5, 12)
            + f"keep = {keep}\nmulti_head_attention(x, w_qkv, w_out, 3, keep)"
        )


if __name__ == "__main__":
    main(judge)
