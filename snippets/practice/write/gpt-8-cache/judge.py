"""Judge of a KV cache and the loop that uses it: python judge.py my_solution.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Case, Judge, Solution, close, main, true

judge = Judge(
    __file__,
    names={"Cache": "class", "generate": "function"},
    unproven="speed, tensors on a GPU",
)
MODEL = """
class Model(nn.Module):
    def __init__(self, V, D=4):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(V, D))
        self.mix = nn.Parameter(torch.randn(2, D, D) / D**0.5)
        self.calls = []  # how many tokens, and whether a graph is made

    def forward(self, tokens, caches):
        self.calls.append((tokens.shape[1], torch.is_grad_enabled()))
        x = self.weight[tokens]
        for mix, cache in zip(self.mix, caches):
            k, v = cache.update((x @ mix)[:, None], torch.tanh(x)[:, None])
            T, S = x.shape[1], k.shape[2]
            scores = (x[:, None] @ k.mT).masked_fill(
                torch.ones(T, S, dtype=torch.bool).triu(S - T + 1), -torch.inf)
            x = x + (scores.softmax(-1) @ v)[:, 0]
        return x @ self.weight.T

"""
CASE = """
torch.manual_seed({seed})
model = Model(7).double()
caches = [Cache({B}, 1, {slots}, 4, torch.float64) for _ in range(2)]
tokens = torch.randint(7, ({B}, {T}))
shapes = []
def pick(logits):
    shapes.append(tuple(logits.shape))
    return logits.argmax(dim=-1)
"""
WRITES = ["model", "Model", "caches", "pick", "shapes", "cache"]


def expected(case: Case, max_new: int) -> Tensor:
    """The same without a cache: the whole text is read for each token."""

    class Nothing:
        def update(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
            return k, v

    tokens = case.tokens
    for _ in range(max_new):
        with torch.no_grad():
            logits = case.model(tokens, [Nothing(), Nothing()])
        tokens = torch.cat([tokens, logits[:, -1:].argmax(dim=-1)], dim=1)
    return tokens


def filled(B: int, H: int, slots: int, d: int, parts: tuple[int, ...]) -> str:
    """The code that makes a cache and new keys and values in parts."""
    return f"""
torch.manual_seed(0)
cache = Cache({B}, {H}, {slots}, {d})
k, v = torch.randn(2, {B}, {H}, {sum(parts)}, {d})
"""


@judge.group("a new cache")
def new(solution: Solution) -> None:
    for B, H, slots, d in ((1, 1, 3, 2), (2, 3, 5, 4)):
        case = solution.run(f"Cache({B}, {H}, {slots}, {d})")
        cache = case.got
        true(
            cache.length == 0, f"length is {cache.length}, expected 0", cache.length
        )
        for name, one in (("k", cache.k), ("v", cache.v)):
            shape = tuple(one.shape)
            true(
                shape == (B, H, slots, d),
                f"{name} has shape {shape}, expected {(B, H, slots, d)}",
                one,
            )
            true(
                bool(one.isfinite().all()),
                f"{name} holds something that is not finite",
                one,
            )
    case = solution.run("Cache(1, 1, 2, 2, torch.bfloat16, 'meta')")
    for one in (case.got.k, case.got.v):
        right = one.dtype == torch.bfloat16 and one.device.type == "meta"
        true(
            right,
            f"got {one.dtype} on {one.device}, expected bfloat16 on meta",
            str(one.dtype),
        )


@judge.group("updates of several sizes")
def updates(solution: Solution) -> None:
    for parts in ((1,), (3,), (1, 1), (2, 1, 2), (1, 3)):
        code = filled(2, 3, sum(parts) + 2, 4, parts)
        code += f"[cache.update(*both) for both in zip(k.split({list(parts)}, 2), v.split({list(parts)}, 2))]"
        case = solution.run(code, writes=WRITES)
        for number, (mine, end) in enumerate(
            zip(case.got, torch.tensor(parts).cumsum(0).tolist(), strict=True), 1
        ):
            true(
                isinstance(mine, tuple) and len(mine) == 2,
                f"update returned {type(mine).__name__}",
                mine,
            )
            close(mine[0], case.k[:, :, :end], 0, 0, of=f"keys of call {number}")
            close(mine[1], case.v[:, :, :end], 0, 0, of=f"values of call {number}")
        length = case.cache.length
        true(
            length == sum(parts),
            f"length is {length}, expected {sum(parts)}",
            length,
        )


@judge.group("the memory is allocated once, and nothing is copied")
def memory(solution: Solution) -> None:
    code = (
        filled(2, 3, 5, 4, (2, 1)) + "at = cache.k.data_ptr(), cache.v.data_ptr()\n"
    )
    code += "[cache.update(*both) for both in zip(k.split([2, 1], 2), v.split([2, 1], 2))]"
    case = solution.run(code, writes=WRITES)
    same = (case.cache.k.data_ptr(), case.cache.v.data_ptr()) == case.at
    true(same, "cache.k or cache.v has got new memory", "moved")
    for name, one, own in (
        ("keys", case.got[1][0], case.at[0]),
        ("values", case.got[1][1], case.at[1]),
    ):
        true(
            one.data_ptr() == own,
            f"the {name} that update returns are a copy",
            name,
        )


@judge.group("a full cache")
def full(solution: Solution) -> None:
    for slots, parts in ((3, (3,)), (3, (2, 1))):
        code = filled(1, 2, slots, 2, parts)
        code += f"[cache.update(*both) for both in zip(k.split({list(parts)}, 2), v.split({list(parts)}, 2))]"
        solution.run(code, writes=WRITES)
    for slots, parts in ((2, (3,)), (3, (3, 1)), (4, (2, 3))):
        code = filled(1, 2, slots, 2, parts)
        call = f"[cache.update(*both) for both in zip(k.split({list(parts)}, 2), v.split({list(parts)}, 2))]"
        solution.refuses(code + call, writes=WRITES)
        code += f"""
try:
    {call}
except ValueError:
    pass
cache"""
        cache = solution.run(code, writes=WRITES).got
        before = sum(parts[:-1])
        kept = cache.length == before and bool((cache.k[:, :, before:] == 0).all())
        true(
            kept,
            f"the tokens did not fit, but length is {cache.length} or the slots were written",
            "changed",
        )


@judge.group("the text is the one without a cache")
def texts(solution: Solution) -> None:
    for B, T, max_new, seed in (
        (1, 1, 1, 0),
        (1, 3, 4, 1),
        (3, 4, 6, 2),
        (2, 2, 5, 3),
        (3, 1, 3, 4),
    ):
        code = MODEL + CASE.format(B=B, T=T, slots=T + max_new - 1, seed=seed)
        case = solution.run(
            code + f"generate(model, caches, tokens, {max_new}, pick)",
            writes=WRITES,
        )
        calls = list(case.model.calls)
        close(case.got, expected(case, max_new), 0, 0, dtype=torch.int64)
        want = [T] + [1] * (max_new - 1)
        got = [size for size, _ in calls]
        true(got == want, f"the calls read {got} tokens, expected {want}", got)
        true(not any(graph for _, graph in calls), "a graph was made", "graph")
        shapes = set(case.shapes)
        true(
            shapes == {(B, 7)},
            f"pick got logits of shapes {sorted(shapes)}, expected {(B, 7)}",
            sorted(shapes),
        )


@judge.group("another pick, and no new token")
def picks(solution: Solution) -> None:
    code = MODEL + CASE.format(B=2, T=3, slots=6, seed=5)
    case = solution.run(
        code
        + "generate(model, caches, tokens, 3, lambda logits: logits.argmin(dim=-1))",
        writes=WRITES,
    )
    tokens = case.tokens
    for _ in range(3):
        with torch.no_grad():
            fresh = [
                type(case.caches[0])(2, 1, 9, 4, torch.float64) for _ in range(2)
            ]
            tokens = torch.cat(
                [tokens, case.model(tokens, fresh)[:, -1:].argmin(dim=-1)], dim=1
            )
    close(case.got, tokens, 0, 0)
    case = solution.run(
        code + "generate(model, caches, tokens, 0, pick)", writes=WRITES
    )
    close(case.got, case.tokens, 0, 0)
    true(
        not case.model.calls,
        "the model was called, and no token was asked for",
        "called",
    )


if __name__ == "__main__":
    main(judge)
