"""Judge of beam search: python judge.py my_solution.py"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Case, Judge, Solution, main, same, true

judge = Judge(__file__, names={"beam_search": "function"}, unproven="speed")
Found = list[tuple[list[int], float]]


def made(V: int, seed: int = 0, eos: int = 0, likely: float = 0.0) -> str:
    """The code of a step that depends on the whole prefix."""
    more = f"logits[:, {eos}] += {likely}\n" if likely else ""
    return f"""
torch.manual_seed({seed})
logits = torch.randn(97, {V})
{more}
def step(prefixes):
    places = torch.arange(1, prefixes.shape[1] + 1)
    return logits[(prefixes * places**2).sum(1) % 97].log_softmax(-1)
"""


def row_of(step: Callable[[Tensor], Tensor], tokens: list[int]) -> list[float]:
    return step(torch.tensor([tokens])).double()[0].tolist()


def ordered(sums: dict[tuple[int, ...], float], alpha: float) -> Found:
    scored = [
        (list(key), one / (len(key) - 1) ** alpha) for key, one in sums.items()
    ]
    return sorted(scored, key=lambda pair: -pair[1])


def expected(
    step: Callable,
    start: int,
    eos: int,
    beam: int,
    max_new: int,
    alpha: float = 0.0,
) -> Found:
    """The rule, one hypothesis after another, with Python's floats."""
    kept = {(start,): 0.0}
    for _ in range(max_new):
        after = {}
        for tokens, total in kept.items():
            if tokens[-1] == eos:
                after[tokens] = total
            else:
                for token, more in enumerate(row_of(step, list(tokens))):
                    after[*tokens, token] = total + more
        kept = dict(sorted(after.items(), key=lambda pair: -pair[1])[:beam])
    return ordered(kept, alpha)


def every(step: Callable, start: int, eos: int, max_new: int) -> Found:
    """All hypotheses that there are, by recursion."""
    sums: dict[tuple[int, ...], float] = {}

    def follow(tokens: list[int], total: float) -> None:
        if tokens[-1] == eos or len(tokens) > max_new:
            sums[tuple(tokens)] = total
            return
        for token, more in enumerate(row_of(step, tokens)):
            follow([*tokens, token], total + more)

    follow([start], 0.0)
    return ordered(sums, 0.0)


def compare(got: object, right: Found) -> None:
    """Fail unless tokens are the same in the same order, and scores are near."""
    kind = type(got).__name__
    true(isinstance(got, list), f"returned {kind}, expected a list", got)
    for one in got:
        pair = isinstance(one, (tuple, list)) and len(one) == 2
        true(pair, f"an entry is {one!r}, expected (tokens, score)", got)
        tokens, score = one
        plain = isinstance(tokens, list) and {type(one) for one in tokens} == {int}
        true(plain, f"tokens are {tokens!r}, expected a list of ints", got)
        true(type(score) is float, f"a score is {score!r}, expected a float", got)
    mine = [tokens for tokens, _ in got]
    theirs = [tokens for tokens, _ in right]
    twice = sorted(tokens for tokens in mine if mine.count(tokens) > 1)
    true(not twice, f"{twice[:1]} is returned {len(twice)} times", got)
    same(sorted(mine), sorted(theirs), of="hypotheses, sorted by their tokens")
    scores = {tuple(tokens): score for tokens, score in got}
    for tokens, score in right:
        have = scores[tuple(tokens)]
        near = abs(have - score) <= 1e-4 * max(1.0, abs(score))
        true(near, f"score of {tokens}: got {have:.6g}, expected {score:.6g}", got)
    same(mine, theirs, of="order")


def check(
    solution: Solution,
    code: str,
    start: int,
    eos: int,
    beam: int,
    max_new: int,
    alpha: float | None = None,
) -> Case:
    given = f"step, {start}, {eos}, {beam}, {max_new}"
    given += "" if alpha is None else f", {alpha}"
    case = solution.run(f"{code}\nbeam_search({given})")
    compare(case.got, expected(case.step, start, eos, beam, max_new, alpha or 0.0))
    return case


# V, beam, max_new: one step, one hypothesis, all equal, a beam above V, and more.
SIZES = [
    (3, 1, 1),
    (3, 2, 1),
    (4, 1, 4),
    (3, 3, 3),
    (5, 2, 4),
    (6, 4, 5),
    (2, 5, 4),
]


@judge.group("a beam of 1 is greedy decoding")
def greedy(solution: Solution) -> None:
    for V, max_new in ((2, 1), (4, 3), (5, 6)):
        for seed in range(2):
            check(solution, made(V, seed), V - 1, 0, 1, max_new)


@judge.group("a beam of 2 finds what greedy decoding misses")
def better(solution: Solution) -> None:
    code = """
table = torch.tensor([
    [0.03, 0.57, 0.40],  # after 0, which is the start
    [0.31, 0.36, 0.33],  # after 1
    [0.01, 0.02, 0.97],  # after 2
]).log()

def step(prefixes):
    return table[prefixes[:, -1]]
"""
    check(solution, code, 0, 2, 2, 2)
    check(solution, code, 0, 2, 2, 4)


@judge.group("every step keeps the best, finished or not")
def rule(solution: Solution) -> None:
    for V, beam, max_new in SIZES:
        for eos, likely in ((0, 0.0), (V - 1, 1.5)):
            start = (eos + 1) % V
            check(solution, made(V, 1, eos, likely), start, eos, beam, max_new)
            check(solution, made(V, 2, eos, likely), start, eos, beam, max_new)


@judge.group("a beam that keeps everything finds every hypothesis")
def exhaustive(solution: Solution) -> None:
    for V, max_new in ((2, 3), (3, 3)):
        beam = V**max_new
        case = solution.run(
            f"{made(V)}\nbeam_search(step, 1, 0, {beam}, {max_new})"
        )
        compare(case.got, every(case.step, 1, 0, max_new))


@judge.group("alpha decides the order, not the search")
def lengths(solution: Solution) -> None:
    code = """
rows = {
    1: [-1.0, -0.6, -2.5],  # after one token: token 0 ends the hypothesis
    2: [-0.7, -1.2, -1.6],
    3: [-0.9, -0.8, -1.9],
}

def step(prefixes):
    row = torch.tensor([rows[min(prefixes.shape[1], 3)]]).log_softmax(-1)
    return row.repeat(len(prefixes), 1)
"""
    for alpha in (None, 0.0, 1.0, 0.6):
        for beam in (2, 3):
            check(solution, code, 1, 0, beam, 4, alpha)
    for V, beam, max_new in SIZES:
        check(solution, made(V, 3, 0, 0.5), 1, 0, beam, max_new, 0.7)


@judge.group("200 tokens at a log-probability of -5")
def long(solution: Solution) -> None:
    code = """
row = torch.full((1, 200), -5.3)
row[0, 1] = -5.0
row = row.log_softmax(-1)

def step(prefixes):
    return row.repeat(len(prefixes), 1)
"""
    # A beam of 1: hypotheses with one -5.3 would tie, wherever it stands.
    case = solution.run(f"{code}\nbeam_search(step, 1, 0, 1, 200)")
    compare(case.got, [([1] * 201, -1000.0)])


@judge.group("what step is given, and float64")
def given(solution: Solution) -> None:
    # In the second case all that are kept end before max_new.
    for likely in (0.0, 3.0):
        look(solution, made(5, 4, 0, likely))


def look(solution: Solution, code: str) -> None:
    """Fail unless step is given what it can take, and compare."""
    code = code.replace("def step(prefixes):", "seen = []\ndef step(prefixes):")
    code = code.replace(
        "    places", "    seen.append(prefixes.clone())\n    places"
    )
    code = code.replace("torch.randn(97, 5)", "torch.randn(97, 5).double()")
    case = solution.run(f"{code}\nbeam_search(step, 7, 0, 3, 4)", writes=("seen",))
    for one in case.seen:
        true(one.ndim == 2, f"step was given shape {tuple(one.shape)}", one)
        wide = one.dtype == torch.int64
        true(wide, f"step was given {one.dtype}, expected torch.int64", one)
        true(len(one) > 0, "step was given no prefix, expected one at least", one)
        begins = bool((one[:, 0] == 7).all())
        true(begins, "step was given prefixes that do not begin with start", one)
        true(one.shape[1] <= 4, f"step was given {one.shape[1]} tokens of 4", one)
    compare(case.got, expected(case.step, 7, 0, 3, 4))


if __name__ == "__main__":
    main(judge)
