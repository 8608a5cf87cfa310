"""Judge of the mixture-of-experts layer: python judge.py my_solution.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Case, Judge, Solution, close, main, same, true

judge = Judge(__file__, names={"moe": "function"}, unproven="speed and memory")


def made(
    N: int, C: int, E: int, k: int, change: str = "", dtype: str = "float32"
) -> str:
    """The code that makes tokens, router and experts which note their rows, and calls the layer."""
    change = f"\n{change}" if change else ""
    return f"""
torch.manual_seed(0)
x = torch.randn({N}, {C}).to(torch.{dtype})
w_gate = torch.randn({E}, {C}).to(torch.{dtype})
weights = [torch.randn({C}, {C}).to(torch.{dtype}) for _ in range({E})]
seen = [[] for _ in range({E})]
def expert(e):
    def call(rows):
        seen[e].append(rows.detach().clone())
        return torch.tanh(rows @ weights[e])
    return call
experts = [expert(e) for e in range({E})]{change}
moe(x, w_gate, experts, {k})"""


SIZES = [
    (3, 2, 2, 1),
    (7, 3, 4, 1),
    (8, 5, 4, 2),
    (6, 2, 3, 3),
    (4, 4, 4, 2),
    (3, 5, 6, 4),
    (1, 2, 3, 2),
    (1, 1, 1, 1),
]


def expected(case: Case, k: int) -> tuple[Tensor, Tensor, list[list[int]]]:
    """Output and loss in float64, token by token, and which tokens chose each expert. It does not call the experts."""
    x, w_gate = case.x.double(), case.w_gate.double()
    N, E = len(x), len(case.weights)
    tokens: list[list[int]] = [[] for _ in range(E)]
    rows, total = [], torch.zeros(E, dtype=torch.float64)
    for t in range(N):
        powers = torch.stack([x[t] @ w_gate[e] for e in range(E)])
        probs = (powers - powers.max().detach()).exp()
        probs = probs / probs.sum()
        total = total + probs
        best = sorted(range(E), key=lambda e, probs=probs: -probs[e].item())[:k]
        for e in best:
            tokens[e].append(t)
        rows.append(
            sum(
                probs[e] * torch.tanh(x[t] @ case.weights[e].double()) for e in best
            )
            / sum(probs[e] for e in best)
        )
    aux = sum(E * len(tokens[e]) / (N * k) * total[e] / N for e in range(E))
    return torch.stack(rows), torch.as_tensor(aux), tokens


def call(solution: Solution, *sizes: int, **made_of: str) -> Case:
    """Run a case, and fail unless it returns a pair."""
    case = solution.run(made(*sizes, **made_of), writes=("seen",))
    pair = isinstance(case.got, tuple) and len(case.got) == 2
    true(
        pair,
        f"returned {type(case.got).__name__}, expected the tuple (y, aux)",
        case.got,
    )
    return case


@judge.group("y against a loop over tokens")
def output(solution: Solution) -> None:
    for sizes in SIZES:
        case = call(solution, *sizes)
        close(
            case.got[0],
            expected(case, sizes[3])[0].float(),
            dtype=torch.float32,
            of="y",
        )


@judge.group("each expert is called once at most, with the tokens that chose it")
def rows(solution: Solution) -> None:
    for sizes in SIZES:
        case = call(solution, *sizes)
        tokens = expected(case, sizes[3])[2]
        got = [[len(one) for one in calls if len(one)] for calls in case.seen]
        same(
            got,
            [[len(one)] if one else [] for one in tokens],
            of="rows of each call of each expert",
        )
        for e, calls in enumerate(case.seen):
            for one in calls:
                if len(one):
                    close(
                        one, case.x[tokens[e]], 0.0, 0.0, of=f"tokens of expert {e}"
                    )


@judge.group("the load-balancing loss")
def balance(solution: Solution) -> None:
    for sizes in SIZES:
        case = call(solution, *sizes)
        close(case.got[1], expected(case, sizes[3])[1].float(), of="aux")
    # Whatever the choices are: the probabilities are equal.
    case = call(solution, 6, 2, 3, 2, change="w_gate.zero_()")
    close(case.got[1], torch.tensor(1.0), of="aux")
    total = sum(len(one) for calls in case.seen for one in calls)
    same(total, 6 * 2, of="rows of all experts, where all probabilities are equal")


@judge.group("all tokens at one expert")
def crowded(solution: Solution) -> None:
    case = call(
        solution,
        6,
        3,
        4,
        1,
        change="x[:, 0] = 1.0\nw_gate.zero_()\nw_gate[2, 0] = 100.0",
    )
    y, aux, tokens = expected(case, 1)
    close(case.got[0], y.float(), of="y")
    close(case.got[1], aux.float(), of="aux")
    same(
        [sum(map(len, calls)) for calls in case.seen],
        [len(one) for one in tokens],
        of="rows per expert",
    )


@judge.group("k from 1 to E")
def errors(solution: Solution) -> None:
    for k in (0, 4, -1):
        solution.refuses(made(5, 2, 3, k), writes=("seen",))


@judge.group("gradients of x, w_gate and the experts")
def gradients(solution: Solution) -> None:
    track = "for one in (x, w_gate, *weights):\n    one.requires_grad_()"
    for sizes in [(7, 3, 4, 2), (6, 3, 3, 1), (4, 2, 2, 2)]:
        case = call(solution, *sizes, change=track)
        named = {
            "x": case.x,
            "w_gate": case.w_gate,
            **{f"expert {e}": one for e, one in enumerate(case.weights)},
        }
        y, aux, _ = expected(case, sizes[3])
        slope = torch.arange(y.numel(), dtype=torch.float64).reshape(y.shape).cos()
        for what, mine, right in (
            ("y", (case.got[0] * slope.float()).sum(), (y * slope).sum()),
            ("aux", case.got[1], aux),
        ):
            want = torch.autograd.grad(
                right, list(named.values()), allow_unused=True, retain_graph=True
            )
            true(
                mine.requires_grad,
                f"{what} does not depend on any argument: its graph was cut",
                mine,
            )
            have = torch.autograd.grad(
                mine, list(named.values()), allow_unused=True, retain_graph=True
            )
            for (name, one), got, theirs in zip(
                named.items(), have, want, strict=True
            ):
                theirs = torch.zeros_like(one) if theirs is None else theirs
                got = torch.zeros_like(one) if got is None else got
                close(
                    got, theirs, 1e-3, 1e-5, of=f"gradient of {name} through {what}"
                )


@judge.group("float64 and bfloat16, and strides")
def dtypes(solution: Solution) -> None:
    for dtype, tolerance in (("float64", 1e-6), ("bfloat16", 5e-2)):
        case = call(solution, 5, 4, 3, 2, dtype=dtype)
        y, aux, _ = expected(case, 2)
        true(
            isinstance(case.got[0], Tensor) and case.got[0].dtype == case.x.dtype,
            f"y is not of dtype {dtype}",
            case.got[0],
        )
        close(case.got[0], y, tolerance, tolerance, of=f"y in {dtype}")
        close(case.got[1], aux, tolerance, tolerance, of=f"aux in {dtype}")
    case = call(solution, 5, 5, 3, 2, change="x = x.T")
    close(case.got[0], expected(case, 2)[0].float(), of="y")


@judge.group("nothing is made on another device")
def device(solution: Solution) -> None:
    solution.on_meta(made(5, 2, 3, 2), writes=("seen",))


if __name__ == "__main__":
    main(judge)
