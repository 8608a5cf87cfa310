"""Judge of attention with a KV cache: python judge.py my_solution.py"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Case, Judge, Solution, close, main, true

judge = Judge(
    __file__,
    names={"KVCache": "class", "attend": "function"},
    unproven="speed, memory, and tensors under autograd",
)
WRITES = ("cache", "k", "v")


def made(B: int, T: int, C: int, H: int, slots: int, dtype: str = "float32") -> str:
    """The code that makes x, the weights and an empty cache, its slots not zero."""
    code = f"""
torch.manual_seed(0)
x = torch.randn({B}, {T}, {C}).to(torch.{dtype})
w_qkv = (torch.randn({3 * C}, {C}) * {C**-0.5:.3g}).to(torch.{dtype})
w_out = (torch.randn({C}, {C}) * {C**-0.5:.3g}).to(torch.{dtype})
k = torch.full(({B}, {H}, {slots}, {C // H}), 9.0, dtype=torch.{dtype})
v = k.clone()
cache = KVCache(k, v)
"""
    return code.replace(".to(torch.float32)", "").replace(
        ", dtype=torch.float32", ""
    )


def heads_of(x: Tensor, w: Tensor, H: int) -> Tensor:
    """(B, H, T, D) in float64."""
    B, T, C = x.shape
    return (x.double() @ w.double().T).reshape(B, T, H, C // H).transpose(1, 2)


def expected(case: Case, H: int) -> Tensor:
    """Causal attention over the whole sequence, query by query, in float64."""
    q, k, v = (heads_of(case.x, w, H) for w in case.w_qkv.chunk(3))
    rows = []
    for t in range(1, case.x.shape[1] + 1):
        scores = (k[:, :, :t] * q[:, :, t - 1, None]).sum(-1) / math.sqrt(
            q.shape[-1]
        )
        heads = (scores.softmax(-1)[..., None] * v[:, :, :t]).sum(2)  # (B, H, D)
        rows.append(heads.flatten(1) @ case.w_out.double().T)
    return torch.stack(rows, dim=1).to(case.x.dtype)


def chunks(
    solution: Solution, code: str, sizes: list[int], H: int, near: float = 1e-4
) -> Case:
    """Run a sequence chunk by chunk, and compare the rows of each chunk."""
    call = (
        f"[attend(part, cache, w_qkv, w_out, {H}) for part in x.split({sizes}, 1)]"
    )
    case = solution.run(code + call, writes=WRITES, under=torch.no_grad())
    length, total = case.cache.length, sum(sizes)
    true(length == total, f"cache.length is {length}, expected {total}", length)
    right = expected(case, H).split(sizes, 1)
    for number, (mine, theirs) in enumerate(zip(case.got, right, strict=True), 1):
        of = f"call {number} of {len(sizes)}" if len(sizes) > 1 else ""
        close(mine, theirs, near, near / 10, dtype=case.x.dtype, of=of)
    return case


@judge.group("one token, empty cache")
def first(solution: Solution) -> None:
    for B, C, H in [(1, 2, 1), (3, 8, 2)]:
        code = made(B, 1, C, H, 4) + f"attend(x, cache, w_qkv, w_out, {H})"
        case = solution.run(code, writes=WRITES, under=torch.no_grad())
        close(case.got, expected(case, H), dtype=torch.float32)
        length = case.cache.length
        true(length == 1, f"cache.length is {length}, expected 1", length)


@judge.group("a prefill into an empty cache")
def prefill(solution: Solution) -> None:
    for B, T, C, H in [(1, 3, 2, 1), (2, 6, 8, 2), (1, 5, 12, 3), (4, 4, 16, 4)]:
        chunks(solution, made(B, T, C, H, T + 1), [T], H)


@judge.group("token by token")
def decode(solution: Solution) -> None:
    for B, T, C, H in [(1, 2, 2, 1), (2, 6, 8, 2), (1, 5, 12, 3), (4, 4, 16, 4)]:
        chunks(solution, made(B, T, C, H, T + 3), [1] * T, H)


@judge.group("chunks of several sizes")
def mixed(solution: Solution) -> None:
    for sizes in ([2, 2], [4, 1, 1], [2, 3, 1], [1, 2, 3], [3, 3]):
        chunks(solution, made(3, sum(sizes), 8, 2, 7), sizes, 2)


@judge.group("the cache is written in place")
def in_place(solution: Solution) -> None:
    for sizes in ([1], [3], [2, 3, 1]):
        T = sum(sizes)
        code = made(2, T, 12, 3, T + 2) + "at = k.data_ptr(), v.data_ptr()\n"
        case = chunks(solution, code, sizes, 3)
        cache = case.cache
        true(cache.k is case.k, "cache.k was replaced by another tensor", cache.k)
        true(cache.v is case.v, "cache.v was replaced by another tensor", cache.v)
        moved = (case.k.data_ptr(), case.v.data_ptr()) != case.at
        true(not moved, "cache.k or cache.v has got new memory", "moved")
        more = sorted(getattr(cache, "__dict__", {}).keys() - {"k", "v", "length"})
        true(not more, f"the cache keeps more than k, v and length: {more}", more)
        _, w_k, w_v = case.w_qkv.chunk(3)
        for name, mine, w in (("cache.k", case.k, w_k), ("cache.v", case.v, w_v)):
            right = heads_of(case.x, w, 3).float()
            close(mine[:, :, :T], right, of=f"{name}[:, :, :{T}]")
            rest = mine[:, :, T:]
            close(rest, torch.full_like(rest, 9.0), 0, 0, of=f"{name}[:, :, {T}:]")


@judge.group("a cache that was filled by somebody else")
def given(solution: Solution) -> None:
    for start, T in ((3, 1), (2, 3), (70, 3)):
        code = f"""
torch.manual_seed(0)
x = torch.randn(2, {start + T}, 12)
w_qkv = torch.randn(36, 12) * 0.289
w_out = torch.randn(12, 12) * 0.289
old, new = x.split([{start}, {T}], dim=1)
_, w_k, w_v = w_qkv.chunk(3)
k = torch.full((2, 3, {start + 6}, 4), 1e12)
v = torch.full((2, 3, {start + 6}, 4), 1e12)
k[:, :, :{start}] = (old @ w_k.T).view(2, {start}, 3, 4).transpose(1, 2)
v[:, :, :{start}] = (old @ w_v.T).view(2, {start}, 3, 4).transpose(1, 2)
cache = KVCache(k, v, {start})
attend(new, cache, w_qkv, w_out, 3)
"""
        case = solution.run(code, writes=WRITES, under=torch.no_grad())
        close(case.got, expected(case, 3)[:, start:])


@judge.group("a full cache")
def full(solution: Solution) -> None:
    for sizes in ([5], [2, 2, 1]):
        chunks(solution, made(2, 5, 8, 2, 5), sizes, 2)
    for length, slots in ((0, 2), (5, 5), (4, 6)):
        code = made(2, 3, 8, 2, slots) + f"cache.length = {length}\n"
        solution.refuses(code + "attend(x, cache, w_qkv, w_out, 2)", writes=WRITES)
        code += """
try:
    attend(x, cache, w_qkv, w_out, 2)
except ValueError:
    pass
cache.length
"""
        case = solution.run(code, writes=WRITES)
        kept = case.cache.k is case.k and case.cache.v is case.v
        kept = kept and bool((case.k == 9).all()) and bool((case.v == 9).all())
        kept = kept and case.got == length
        true(kept, "the tokens did not fit, but the cache was changed", "changed")


@judge.group("x and the weights need not be contiguous")
def strides(solution: Solution) -> None:
    code = made(2, 4, 12, 3, 6)
    code += (
        "x, w_qkv, w_out = (one.mT.contiguous().mT for one in (x, w_qkv, w_out))\n"
    )
    chunks(solution, code, [3, 1], 3)


@judge.group("float64, float16 and bfloat16")
def dtypes(solution: Solution) -> None:
    for dtype, near in (("float64", 1e-5), ("float16", 1e-2), ("bfloat16", 5e-2)):
        chunks(solution, made(2, 6, 8, 2, 7, dtype), [4, 1, 1], 2, near)


@judge.group("nothing is made on another device")
def device(solution: Solution) -> None:
    for T in (1, 3):
        code = made(2, T, 12, 3, 7).replace("cache = KVCache(k, v)\n", "")
        code += "attend(x, KVCache(k, v, 2), w_qkv, w_out, 3)"
        solution.on_meta(code, writes=WRITES)


if __name__ == "__main__":
    main(judge)
