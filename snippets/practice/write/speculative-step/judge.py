"""Judge of a step of speculative decoding: python judge.py my_solution.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Case, Judge, Solution, close, main, same, true

judge = Judge(
    __file__, names={"verify_draft": "function"}, unproven="speed and devices"
)
WRITES = ("drawn_from",)
DRAW = """
drawn_from = []

def draw(probs):
    drawn_from.append(probs.clone())
    return int(probs.argmax())

"""


def rest_of(p: Tensor, q: Tensor) -> Tensor:
    """The target's mass that the draft does not serve, as a distribution."""
    rest = torch.tensor([max(a - b, 0.0) for a, b in zip(p.tolist(), q.tolist())])
    return rest.double() / rest.double().sum()


def expected(case: Case) -> tuple[list[int], Tensor]:
    """The accepted tokens, and what the last one is drawn from."""
    tokens = case.draft.tolist()
    q, p = case.draft_probs.double(), case.target_probs.double()
    for i, token in enumerate(tokens):
        if case.u[i].item() > p[i, token].item() / q[i, token].item():
            return tokens[:i], rest_of(p[i], q[i])
    return tokens, p[len(tokens)]


def check_draws(drawn_from: list, right: list[Tensor], near: float = 1e-5) -> None:
    """Fail unless draw was called with these distributions."""
    count = len(drawn_from)
    given = [getattr(one, "tolist", one.__repr__)() for one in drawn_from]
    text = f"draw was called {count} times, expected {len(right)}"
    true(count == len(right), text, str(given))
    for mine, theirs in zip(drawn_from, right, strict=True):
        close(mine, theirs, near, near, of="what draw was given")


def check(solution: Solution, code: str, near: float = 1e-5) -> Case:
    """Run a case, and compare what is returned and what was drawn from."""
    call = "verify_draft(draft, draft_probs, target_probs, u, draw)"
    case = solution.run(DRAW + code.strip() + "\n" + call, writes=WRITES)
    tokens, probs = expected(case)
    check_draws(case.drawn_from, [probs], near)
    plain = isinstance(case.got, list) and {type(one) for one in case.got} == {int}
    true(plain, f"returned {case.got!r}, expected a list of ints", case.got)
    same(case.got, [*tokens, int(case.drawn_from[0].argmax())])
    return case


def made(k: int, V: int, u: object, seed: int = 0, dtype: str = "float32") -> str:
    """The code of k draft tokens. The ratios p / q are 0.5, where u decides."""
    to = "" if dtype == "float32" else f".to(torch.{dtype})"
    return f"""
torch.manual_seed({seed})
draft_probs = torch.rand({k}, {V}).softmax(-1){to}
target_probs = torch.rand({k + 1}, {V}).softmax(-1){to}
draft = torch.randint({V}, ({k},))
for i, token in enumerate(draft.tolist()):
    target_probs[i, (token + 1) % {V}] += target_probs[i, token]
    target_probs[i, token] = draft_probs[i, token] / 2
    target_probs[i, (token + 1) % {V}] -= target_probs[i, token]
u = torch.tensor({u})
"""


@judge.group("no draft token: one is drawn from the target")
def nothing(solution: Solution) -> None:
    for V in (2, 5):
        check(
            solution,
            f"""
torch.manual_seed(0)
draft = torch.empty(0, dtype=torch.int64)
draft_probs = torch.empty(0, {V})
target_probs = torch.randn(1, {V}).softmax(-1)
u = torch.empty(0)
""",
        )


# p - q is largest where |p - q| is, so that q - p and |p - q| show different mistakes.
PAIR = """
draft_probs = torch.tensor([[0.4, 0.1, 0.3, 0.2]])
target_probs = torch.tensor([[0.2, 0.25, 0.1, 0.45], [0.1, 0.2, 0.4, 0.3]])
"""


@judge.group("one draft token, accepted with probability min(1, p / q)")
def one(solution: Solution) -> None:
    us = (0.05, 0.2, 0.3, 0.45, 0.55, 0.8, 0.95)
    code = f"""
torch.manual_seed(0)

def draw(probs):
    return 10 + int(probs.argmax())  # so that one can see which token was drawn

{PAIR.strip()}
drafts = [torch.tensor([token]) for token in range(4)]
us = [torch.tensor([u]) for u in {us}]
[[verify_draft(x, draft_probs, target_probs, u, draw) for u in us] for x in drafts]
"""
    case = solution.run(code)
    p, q = case.target_probs, case.draft_probs[0]
    ratio, bonus, other = (
        p[0] / q,
        10 + p[1].argmax(),
        10 + rest_of(p[0], q).argmax(),
    )
    for one in sum(case.got, []):
        plain = isinstance(one, list) and {type(token) for token in one} == {int}
        true(plain, f"returned {one!r}, expected a list of ints", one)
    # The whole pattern tells which mistake it is.
    seen = torch.tensor([[(*one, -1)[:2] for one in row] for row in case.got])
    for token in range(4):
        for place, u in enumerate(us):
            right = u < ratio[token]
            mine = case.got[token][place]
            text = f"draft token {token} was {'not ' * right}accepted at u = {u}"
            kept = mine[0] == token
            true(kept == right, f"{text}, where p / q is {ratio[token]:.3g}", seen)
            want = [token, int(bonus)] if right else [int(other)]
            text = f"draft token {token} at u = {u}: got {mine}, expected {want}"
            true(mine == want, text, seen)


@judge.group("one draft token: what the last token is drawn from")
def rest(solution: Solution) -> None:
    for token, u in ((0, 0.6), (0, 0.2), (1, 0.99), (2, 0.45), (2, 0.25)):
        code = f"{PAIR}draft = torch.tensor([{token}])\nu = torch.tensor([{u}])"
        check(solution, code)


@judge.group("the first token has exactly the target's distribution")
def marginal(solution: Solution) -> None:
    code = """
draft_probs = torch.tensor([[0.4, 0.1, 0.3, 0.2]])
target_probs = torch.tensor([[0.1, 0.3, 0.15, 0.45], [0.1, 0.2, 0.4, 0.3]])
drafts = torch.arange(4).repeat_interleave(20)[:, None]
us = (torch.arange(20.0).repeat(4)[:, None] + 0.5) / 20
[verify_draft(x, draft_probs, target_probs, u, draw) for x, u in zip(drafts, us)]
"""
    case = solution.run(DRAW + code.strip(), writes=WRITES)
    count = len(case.drawn_from)
    true(count == 80, f"draw was called {count} times in 80 calls", count)
    first = torch.zeros(4, dtype=torch.float64)
    for (token,), got, probs in zip(
        case.drafts.tolist(), case.got, case.drawn_from, strict=True
    ):
        weight = case.draft_probs[0, token].double() / 20
        if len(got) == 2:
            first[token] += weight
        else:
            first += weight * probs.double()
    close(first, case.target_probs[0].double(), 1e-5, 1e-6, of="its distribution")


@judge.group("several draft tokens: the first rejection ends the step")
def several(solution: Solution) -> None:
    yes, no = 0.3, 0.7
    for u in (
        [yes, yes, yes],
        [no, yes, yes],
        [yes, no, yes],
        [yes, yes, no],
        [no, no, no],
        [yes, no, no],
    ):
        for V in (3, 5):
            check(solution, made(3, V, u, seed=V))
    check(solution, made(1, 2, [yes]))
    check(solution, made(1, 2, [no]))
    check(solution, made(4, 4, [yes] * 4, seed=1))
    check(solution, made(4, 4, [yes, yes, yes, no], seed=1))


@judge.group("u[i] belongs to place i, also behind a token that is certain to stay")
def own_number(solution: Solution) -> None:
    for u in ([0.7, 0.3], [0.3, 0.7]):
        check(
            solution,
            f"""
draft_probs = torch.tensor([[0.2, 0.8], [0.8, 0.2]])
target_probs = torch.tensor([[0.6, 0.4], [0.4, 0.6], [0.3, 0.7]])
draft = torch.tensor([0, 0])
u = torch.tensor({u})
""",
        )


@judge.group("equal distributions, near ones, disjoint ones, and a target of 0")
def edges(solution: Solution) -> None:
    equal = """
torch.manual_seed(0)
target_probs = torch.randn(4, 5).softmax(-1)
draft_probs = target_probs[:3].clone()
draft = torch.tensor([4, 0, 2])
u = torch.tensor([0.999, 0.5, 0.0])
"""
    disjoint = """
draft_probs = torch.tensor([[0.5, 0.5, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0]])
target_probs = torch.tensor([[0.0, 0.0, 0.9, 0.1]]).repeat(3, 1)
draft = torch.tensor([1, 0])
u = torch.tensor([0.001, 0.2])
"""
    impossible = """
draft_probs = torch.tensor([[0.2, 0.3, 0.5]])
target_probs = torch.tensor([[0.5, 0.0, 0.5], [0.2, 0.2, 0.6]])
draft = torch.tensor([1])
u = torch.tensor([0.001])
"""
    certain = """
draft_probs = torch.tensor([[0.0, 0.0, 1.0], [0.1, 0.2, 0.7]])
target_probs = torch.tensor([[0.3, 0.6, 0.1], [0.1, 0.1, 0.8], [0.2, 0.2, 0.6]])
draft = torch.tensor([2, 2])
u = torch.tensor([{u}, 0.999])
"""
    near = """
draft_probs = torch.tensor([[0.5, 0.25, 0.25]])
target_probs = torch.tensor([[0.5 - 2**-20, 0.25 + 2**-20, 0.25], [0.2, 0.2, 0.6]])
draft = torch.tensor([0])
u = torch.tensor([1 - 2**-24])
"""
    for code in (equal, disjoint, impossible, near):
        check(solution, code)
    for u in (0.09, 0.11):
        check(solution, certain.format(u=u))


@judge.group("float64 and bfloat16")
def dtypes(solution: Solution) -> None:
    for dtype, near in (("float64", 1e-5), ("bfloat16", 2e-2)):
        for u in ([0.3, 0.3, 0.3], [0.3, 0.7, 0.3]):
            check(solution, made(3, 5, u, 2, dtype), near)


@judge.group("no other random numbers than u")
def randomness(solution: Solution) -> None:
    for u in ([0.3, 0.3], [0.3, 0.7]):
        call = "verify_draft(draft, draft_probs, target_probs, u, draw)"
        code = f"{DRAW}{made(2, 4, u).strip()}\nstate = torch.get_rng_state()\n"
        case = solution.run(f"{code}[{call}, torch.get_rng_state()]", writes=WRITES)
        used = not torch.equal(case.state, case.got[1])
        true(not used, "it used torch's global random state", used)


if __name__ == "__main__":
    main(judge)
