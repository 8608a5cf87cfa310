"""Aliases that do not help the search: each mistake gets one message."""

from __future__ import annotations

import pytest

from warmup import checks
from warmup.kinds import levels
from warmup.testing import SAMPLE

FOLDER = "docs/junior/autograd"


def problems(sample, aliases: str, others: str = "[]") -> list[str]:
    for name, written in (("thing", aliases), ("other", others)):
        text = (SAMPLE / FOLDER / f"{name}.md").read_text(encoding="utf-8")
        (sample / FOLDER / f"{name}.md").write_text(text.replace("\n---\n", f"\naliases: {written}\n---\n", 1))
    return [str(p) for p in checks.problems(levels.load(sample / "docs"), sample / "snippets")]


def test_names_that_people_type_are_no_problem(sample):
    assert problems(sample, "[gradients vanish, Glorot]", "[learning rate]") == []


@pytest.mark.parametrize(
    ("aliases", "others", "message"),
    [
        ("[What]", "[]", "The alias 'What' is in the title."),
        ("[one name]", "[One name]", "is an alias of"),
        ("[a a, b b, c c, d d, e e, f f, g g, h h, i i, j j, k k]", "[]", "11 aliases; at most 10."),
        ("name", "[]", "aliases is not a list."),
    ],
)
def test_an_alias_that_does_not_help(sample, aliases, others, message):
    found = problems(sample, aliases, others)
    assert len(found) == 1, found
    assert message in found[0]
