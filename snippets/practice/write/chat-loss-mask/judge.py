"""Judge of a chat's tokens, labels and mask: python judge.py my_solution.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Failure, Judge, Solution, main, true

judge = Judge(__file__, names={"chat_batch": "function"}, unproven="speed")
START = 'start = {"system": 90, "user": 91, "assistant": 92}\n'
ONE = [("user", [1, 2, 3]), ("assistant", [4, 5])]
TWO = [
    ("system", [6]),
    ("user", [1, 2]),
    ("assistant", [3]),
    ("user", [4, 5]),
    ("assistant", [7, 8]),
]
SHORT = [("user", [2]), ("assistant", [9])]


def expected(
    chats: list, start: dict[str, int], end: int, pad: int, max_length: int
) -> tuple[list, list, list]:
    """The same token by token; None stands for padding."""
    kept = []
    for chat in chats:
        row: list[tuple[int, bool]] = []
        for role, content in chat:
            row.append((start[role], False))
            row.extend((token, role == "assistant") for token in content)
            row.append((end, role == "assistant"))
        row = [one for t, one in enumerate(row) if t < max_length]
        if any(counts for _, counts in row):
            kept.append(row)
    T = max(len(row) for row in kept)
    full: list[list[tuple[int, bool] | None]] = [
        [row[t] if t < len(row) else None for t in range(T)] for row in kept
    ]
    return (
        [[one[0] if one else pad for one in row] for row in full],
        [[one[0] if one and one[1] else -100 for one in row] for row in full],
        [[one is not None for one in row] for row in full],
    )


def compare(
    solution: Solution,
    chats: list,
    end: int = 99,
    pad: int = 0,
    most: int = 100,
    start: str = START,
) -> None:
    """Run a case and compare all three results."""
    case = solution.run(
        f"chats = {chats}\n{start}chat_batch(chats, start, {end}, {pad}, {most})"
    )
    true(
        isinstance(case.got, tuple) and len(case.got) == 3,
        f"got {type(case.got).__name__}, expected a tuple of three tensors",
        case.got,
    )
    right = expected(chats, case.start, end, pad, most)
    dtypes = (torch.int64, torch.int64, torch.bool)
    for name, mine, values, dtype in zip(
        ("tokens", "labels", "mask"), case.got, right, dtypes, strict=True
    ):
        true(
            isinstance(mine, Tensor),
            f"{name}: got {type(mine).__name__}, expected a Tensor",
            mine,
        )
        shape = (len(values), len(values[0]))
        true(
            mine.shape == shape,
            f"{name}: got shape {tuple(mine.shape)}, expected {shape}",
            mine,
        )
        true(
            mine.dtype == dtype,
            f"{name}: got dtype {mine.dtype}, expected {dtype}",
            mine,
        )
        if mine.tolist() != values:
            raise Failure(f"{name}: got {mine.tolist()}, expected {values}", mine)


@judge.group("one question and one answer")
def one(solution: Solution) -> None:
    compare(solution, [ONE])
    compare(solution, [[("user", [1]), ("assistant", [])]])


@judge.group("several messages, and a system message")
def several(solution: Solution) -> None:
    compare(solution, [TWO])
    compare(solution, [[("assistant", [5]), ("user", [1]), ("assistant", [6])]])


@judge.group("chats of different lengths")
def batch(solution: Solution) -> None:
    compare(solution, [ONE, SHORT])
    compare(solution, [SHORT, TWO, ONE])


@judge.group("a pad token that is the end token")
def pad_is_end(solution: Solution) -> None:
    compare(solution, [SHORT, TWO], end=99, pad=99)
    compare(solution, [SHORT, ONE], end=0, pad=0)


@judge.group("content that looks like the template")
def quoted(solution: Solution) -> None:
    compare(solution, [[("user", [1, 92, 2, 99]), ("assistant", [3, 91, 4])]])
    compare(solution, [[("user", [0, 1]), ("assistant", [0, 99, 0])], TWO])


@judge.group("chats that are too long")
def long(solution: Solution) -> None:
    for most in (7, 8, 9, 100):
        compare(solution, [ONE], most=most)
    for most in (9, 12, 15):
        compare(solution, [TWO, ONE], most=most)


@judge.group("chats without a token in the loss")
def nothing(solution: Solution) -> None:
    compare(solution, [[("user", [1, 2])], ONE])
    compare(solution, [ONE, TWO], most=7)
    compare(solution, [[], SHORT])
    compare(solution, [[("user", [1, 2, 3, 4, 5, 6])], SHORT])
    for chats, most in (([[("user", [1])]], 100), ([ONE], 6), ([], 5), ([TWO], 1)):
        solution.refuses(
            f"chats = {chats}\n{START}chat_batch(chats, start, 99, 0, {most})"
        )


@judge.group("roles of other names and tokens")
def roles(solution: Solution) -> None:
    start = 'start = {"assistant": 7, "tool": 8}\n'
    compare(
        solution, [[("tool", [1]), ("assistant", [2])]], end=9, most=10, start=start
    )


if __name__ == "__main__":
    main(judge)
