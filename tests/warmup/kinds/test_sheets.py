"""What is wrong with a cheat sheet."""

from __future__ import annotations

import pytest

from warmup import checks
from warmup.kinds import levels

THING = "| The thing is `1`, or \\(2 - 1\\). | `print(1)` | [thing](autograd/thing.md) |"


def problems(sample):
    return [str(p) for p in checks.problems(levels.load(sample / "docs"), sample / "snippets")]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("", "junior/autograd/thing has no line"),
        (THING.replace("thing](autograd/thing", "gone](autograd/gone"), "'junior/autograd/gone' is no question"),
        (THING.replace("print(1)", "print(2)"), "has the code 'print(2)'"),
        (THING.replace("The thing", "So " * 30), "at most 30"),
        (THING.replace("The thing", "TODO"), "still says TODO"),
        (THING.replace("`print(1)`", "print(1)"), "cannot be read"),
        (f"{THING}\n{THING}", "has a second line"),
    ],
)
def test_a_row_that_is_missing_or_wrong(sample, row, message):
    sheet = sample / "docs/junior/sheet.md"
    text = sheet.read_text(encoding="utf-8")
    assert THING in text
    assert problems(sample) == []
    sheet.write_text(text.replace(THING, row), encoding="utf-8")
    assert [problem for problem in problems(sample) if "sheet.md" in problem and message in problem]


def test_code_may_come_from_a_fence_that_runs(sample):
    page, sheet = sample / "docs/junior/autograd/thing.md", sample / "docs/junior/sheet.md"
    code = "```python\nassert 3\n```\n\n"
    page.write_text(page.read_text(encoding="utf-8").replace("## Why", f"{code}## Why"), encoding="utf-8")
    sheet.write_text(sheet.read_text(encoding="utf-8").replace("`print(1)`", "`assert 3`"), encoding="utf-8")
    assert problems(sample) == []


def test_a_level_may_have_no_sheet(sample):
    (sample / "docs/junior/sheet.md").unlink()
    assert problems(sample) == []
