"""The real puzzles are what they claim to be."""

from __future__ import annotations

import copy

import pytest

from warmup.kinds import levels, puzzles
from warmup.project import SNIPPETS

PUZZLES = levels.load().puzzles


FOLDER = SNIPPETS / puzzles.FOLDER


def collapsed(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: puzzle.slug)
def test_no_wrong_choice_is_the_key_and_each_is_what_a_variant_printed_or_a_named_misconception(puzzle):
    stem = puzzle.slug.replace("-", "_")
    key = collapsed((FOLDER / f"{stem}.out").read_text(encoding="utf-8"))
    recorded = {
        path.stem.partition("__")[2]: collapsed(path.read_text(encoding="utf-8"))
        for path in FOLDER.glob(f"{stem}__*.out")
    }
    shown = [(collapsed(output), wrong) for output, wrong in puzzle.shuffled(SNIPPETS)]
    assert [output for output, wrong in shown if wrong is None] == [key]
    assert len({output for output, _ in shown}) == len(shown)
    listed = {one["because"]: one for one in puzzle.page.meta["choices"]}
    assert len(shown) == len(listed) + 1
    for output, wrong in shown:
        if wrong:
            assert output != key
            assert wrong.because.strip()
            one = listed[wrong.because]
            assert output == (recorded[one["variant"]] if "variant" in one else collapsed(one["text"]))


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: puzzle.slug)
def test_the_order_of_the_choices_is_not_that_of_the_front_matter(puzzle):
    turned = copy.copy(puzzle)
    turned.__dict__["choices"] = puzzle.choices[::-1]
    assert [output for output, _ in turned.shuffled(SNIPPETS)] == [output for output, _ in puzzle.shuffled(SNIPPETS)]


def test_the_key_stands_in_every_place():
    places = [[wrong for _, wrong in puzzle.shuffled(SNIPPETS)].index(None) for puzzle in PUZZLES]
    assert set(places) >= {0, 1, 2}
    assert max(places.count(place) for place in set(places)) <= len(places) * 0.6


def test_every_program_and_output_belongs_to_one_puzzle():
    claimed = [name for puzzle in PUZZLES for name in puzzle.files]
    assert sorted(claimed) == sorted(
        path.relative_to(SNIPPETS).as_posix() for path in FOLDER.iterdir() if path.suffix in (".py", ".out")
    )


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("[1, 2]", " [ 1,2 ]\n", True),
        ("True False", "True\nFalse", True),
        ("{'a': 1}", "{'a':1}", True),
        ("1 2", "12", False),
        ("1 -1", "1-1", False),
        ("[8, 8]", "[8.0, 8.0]", False),
    ],
)
def test_spacing_counts_only_between_words(one, other, same):
    assert (puzzles.squeeze(one) == puzzles.squeeze(other)) is same
