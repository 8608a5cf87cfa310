"""Judge of causal attention with a past: python judge.py my_solution.py"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Case, Judge, Solution, close, main, same, true

judge = Judge(__file__, names={"Attention": "class"}, unproven="speed and memory")
PAST = """
class Past:
    def __init__(self, k, v):
        self.k, self.v, self.calls = k, v, 0
    def update(self, k, v):
        self.calls += 1
        self.k = torch.cat([self.k, k], dim=2)
        self.v = torch.cat([self.v, v], dim=2)
        return self.k, self.v
    def __len__(self):
        return self.k.shape[2]

"""


def made(B: int, T: int, D: int, H: int, old: int | None = None) -> str:
    """The code that makes a layer whose weights are not small, x, and a past of so many tokens."""
    code = f"""
torch.manual_seed(0)
layer = Attention({D}, {H})
with torch.no_grad():
    for weight in layer.parameters():
        weight.copy_(torch.randn(weight.shape) * {1.5 * D**-0.5:.3g})
x = torch.randn({B}, {T}, {D})
"""
    if old is None:
        return code
    code += f"k, v = torch.randn(2, {B}, {H}, {old}, {D // H})\npast = Past(k, v)\n"
    return PAST + code


def expected(case: Case, H: int) -> Tensor:
    """Query by query and head by head, in float64."""
    B, T, D = case.x.shape
    d = D // H
    w_q, w_k, w_v = case.layer.qkv.weight.double().chunk(3)
    rows = []
    for b in range(B):
        x = case.x[b].double()
        for t in range(T):
            heads = []
            for h in range(H):
                own = slice(h * d, (h + 1) * d)
                q = w_q[own] @ x[t]
                keys = [w_k[own] @ x[s] for s in range(t + 1)]
                values = [w_v[own] @ x[s] for s in range(t + 1)]
                if "k" in vars(case):
                    keys = [*case.k[b, h].double(), *keys]
                    values = [*case.v[b, h].double(), *values]
                scores = torch.stack([q @ k for k in keys]) / math.sqrt(d)
                heads.append(
                    (scores.softmax(0)[:, None] * torch.stack(values)).sum(0)
                )
            rows.append(case.layer.out.weight.double() @ torch.cat(heads))
    return torch.stack(rows).view(B, T, D).to(case.x.dtype)


@judge.group("two parameters, and no bias")
def parameters(solution: Solution) -> None:
    for D, H in ((4, 2), (3, 1), (6, 6)):
        case = solution.run(
            f"layer = Attention({D}, {H})\n"
            "{name: tuple(p.shape) for name, p in layer.named_parameters()}"
        )
        want = {"qkv.weight": (3 * D, D), "out.weight": (D, D)}
        same(
            dict(sorted(case.got.items())), dict(sorted(want.items())), "parameters"
        )


@judge.group("one token")
def one(solution: Solution) -> None:
    for B, D, H in ((1, 2, 1), (3, 4, 2), (2, 6, 3)):
        case = solution.run(made(B, 1, D, H) + "layer(x)")
        close(case.got, expected(case, H))


@judge.group("one head")
def head(solution: Solution) -> None:
    for B, T, D in ((1, 2, 2), (2, 4, 3), (3, 3, 3)):
        case = solution.run(made(B, T, D, 1) + "layer(x)")
        close(case.got, expected(case, 1))


@judge.group("several heads")
def several(solution: Solution) -> None:
    for B, T, D, H in ((1, 2, 4, 2), (2, 5, 6, 3), (2, 3, 8, 2), (3, 4, 4, 4)):
        case = solution.run(made(B, T, D, H) + "layer(x)")
        close(case.got, expected(case, H))


@judge.group("one token behind a past")
def step(solution: Solution) -> None:
    for B, D, H, old in ((1, 2, 1, 2), (2, 6, 3, 4), (3, 4, 2, 1)):
        case = solution.run(
            made(B, 1, D, H, old) + "layer(x, past)", writes=["past"]
        )
        close(case.got, expected(case, H))


@judge.group("several tokens behind a past, and an empty past")
def chunk(solution: Solution) -> None:
    for B, T, D, H, old in (
        (1, 2, 2, 1, 2),
        (2, 3, 6, 3, 4),
        (3, 4, 4, 2, 1),
        (2, 3, 4, 2, 0),
    ):
        case = solution.run(
            made(B, T, D, H, old) + "layer(x, past)", writes=["past"]
        )
        close(case.got, expected(case, H))


@judge.group("the past gets the new keys and values once")
def updated(solution: Solution) -> None:
    for old in (2, 0):  # an empty past has the length 0, so it is false
        code = made(2, 3, 6, 3, old) + "_ = layer(x, past)\npast"
        case = solution.run(code, writes=["past"])
        calls = case.got.calls
        true(
            calls == 1,
            f"past.update was called {calls} times, expected once",
            calls,
        )
        _, w_k, w_v = case.layer.qkv.weight.detach().chunk(3)
        for name, mine, w in (("k", case.got.k, w_k), ("v", case.got.v, w_v)):
            want = (case.x @ w.T).view(2, 3, 3, 2).transpose(1, 2)
            close(mine[:, :, old:], want, of=f"{name} of the new tokens")


@judge.group("gradients of x and of both weights")
def gradients(solution: Solution) -> None:
    for B, T, D, H in ((1, 3, 2, 1), (2, 4, 6, 3)):
        code = (
            made(B, T, D, H)
            + "x.requires_grad_()\nout = layer(x)\nscale = torch.randn(out.shape)\n"
        )
        code += "torch.autograd.grad((out * scale).sum(), (x, layer.qkv.weight, layer.out.weight))"
        case = solution.run(code)
        loss = (expected(case, H) * case.scale).sum()
        weights = (case.x, case.layer.qkv.weight, case.layer.out.weight)
        for name, mine, want in zip(
            ("x", "qkv.weight", "out.weight"),
            case.got,
            torch.autograd.grad(loss, weights),
            strict=True,
        ):
            close(mine, want, 1e-3, 1e-5, of=f"gradient of {name}")


@judge.group("float64 and bfloat16, and no tensor on another device")
def dtypes(solution: Solution) -> None:
    for dtype, near in (("float64", 1e-6), ("bfloat16", 5e-2)):
        code = (
            made(2, 4, 6, 3)
            + f"layer, x = layer.to(torch.{dtype}), x.to(torch.{dtype})\nlayer(x)"
        )
        case = solution.run(code)
        close(case.got, expected(case, 3), near, near, dtype=getattr(torch, dtype))
    solution.on_meta(made(2, 3, 6, 3) + "layer.to('meta')(x)")


if __name__ == "__main__":
    main(judge)
