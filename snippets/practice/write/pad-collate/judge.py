"""Judge of a collate function: python judge.py my_solution.py"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Failure, Judge, Solution, main, true

judge = Judge(
    __file__, names={"collate": "function"}, unproven="speed, worker processes"
)


def expected(
    batch: list, pad_id: int, max_len: int | None
) -> dict[str, tuple[torch.dtype, list]]:
    """The same as lists, value by value."""
    rows = []
    for sequence in batch:
        row = [int(token) for token in sequence]
        rows.append(
            [row[i] for i in range(len(row)) if max_len is None or i < max_len]
        )
    columns = range(max(len(row) for row in rows))
    return {
        "input_ids": (
            torch.int64,
            [[row[i] if i < len(row) else pad_id for i in columns] for row in rows],
        ),
        "attention_mask": (
            torch.bool,
            [[i < len(row) for i in columns] for row in rows],
        ),
        "labels": (
            torch.int64,
            [[row[i] if i < len(row) else -100 for i in columns] for row in rows],
        ),
    }


def collated(
    solution: Solution, batch: str, pad_id: int, max_len: int | None = None
) -> dict[str, Tensor]:
    """Run a case and compare all that it returns."""
    rest = "" if max_len is None else f", {max_len}"
    case = solution.run(f"batch = {batch}\ncollate(batch, {pad_id}{rest})")
    true(
        isinstance(case.got, dict),
        f"got {type(case.got).__name__}, expected a dict",
        case.got,
    )
    right = expected(case.batch, pad_id, max_len)
    for name, (dtype, values) in right.items():
        true(name in case.got, f'there is no "{name}"', sorted(map(str, case.got)))
        got = case.got[name]
        true(
            isinstance(got, Tensor),
            f"{name} is of type {type(got).__name__}, expected Tensor",
            got,
        )
        shape = (len(values), len(values[0]))
        true(
            tuple(got.shape) == shape,
            f"{name} has shape {tuple(got.shape)}, expected {shape}",
            got,
        )
        true(
            got.dtype == dtype,
            f"{name} has dtype {got.dtype}, expected {dtype}",
            got,
        )
        if got.tolist() != values:
            raise Failure(f"{name} is {got.tolist()}, expected {values}", got)
    return {name: case.got[name] for name in right}


@judge.group("lists of different lengths")
def lists(solution: Solution) -> None:
    for batch in (
        "[[5]]",
        "[[5, 6], [7]]",
        "[[5], [6, 7, 8, 9], [1, 2]]",
        "[[1, 2], [3, 4, 5], [6, 7, 8]]",
    ):
        collated(solution, batch, 0)
    collated(solution, "[[5, 6], [7]]", 3)
    collated(solution, "[[16777217, 128000], [9999]]", 50256)


@judge.group("tensors, and tensors among lists")
def tensors(solution: Solution) -> None:
    collated(solution, "[torch.tensor([5, 6, 7]), torch.tensor([8])]", 0)
    collated(solution, "[[4], torch.tensor([5, 6, 7])]", 1)


@judge.group("one length, no padding")
def one_length(solution: Solution) -> None:
    collated(solution, "[[1, 2, 3], [4, 5, 6]]", 0)
    collated(solution, "[torch.arange(1, 5)]", 0)


@judge.group("a real token with the id of the padding")
def real_padding_id(solution: Solution) -> None:
    collated(solution, "[[5, 2], [7, 8, 9, 2]]", 2)
    collated(solution, "[[0, 4], [0, 0, 0], [6]]", 0)


@judge.group("max_len shorter and longer than the sequences")
def cutting(solution: Solution) -> None:
    batch = "[[1, 2, 3, 4], [5], [6, 7]]"
    for max_len in (2, 1, 3, 4, 9):
        collated(solution, batch, 0, max_len)
    collated(solution, "[torch.tensor([1, 2, 3]), [4, 5, 6, 7, 8]]", 9, 3)


@judge.group("empty sequences")
def empty(solution: Solution) -> None:
    for batch in (
        "[[], [5, 6]]",
        "[[5], []]",
        "[torch.tensor([], dtype=torch.int64), [5]]",
        "[[]]",
        "[[], []]",
    ):
        collated(solution, batch, 0)


@judge.group("no memory is shared")
def memory(solution: Solution) -> None:
    for batch in (
        "[torch.tensor([5, 6, 7])]",
        "[torch.tensor([5, 6]), torch.tensor([7, 8])]",
    ):
        got = collated(solution, batch, 0)
        case = solution.run(f"batch = {batch}\ncollate(batch, 0)")
        named = [(name, case.got[name]) for name in got] + [
            ("the batch", row) for row in case.batch
        ]
        for i, (name, one) in enumerate(named[:3]):
            for other, two in named[i + 1 :]:
                shared = (
                    one.untyped_storage().data_ptr()
                    == two.untyped_storage().data_ptr()
                )
                true(
                    not shared,
                    f"{name} shares memory with {other}",
                    f"{name}, {other}",
                )


if __name__ == "__main__":
    main(judge)
