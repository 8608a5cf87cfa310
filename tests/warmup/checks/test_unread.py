"""Pages that the site would leave out without a word."""

from __future__ import annotations

import shutil

import pytest

from warmup.checks import project, retired
from warmup.kinds import levels


def unread(sample) -> list[str]:
    return [
        str(one).replace(f"{sample}/docs/", "") for one in project.unread(levels.load(sample / "docs"), sample / "docs")
    ]


@pytest.mark.parametrize(
    ("page", "copy"),
    [
        ("junior/autograd/thing.md", "junior/stray.md"),
        ("junior/autograd/thing.md", "junior/autograd/more/thing.md"),
        ("practice/write/add.md", "practice/write/more/add.md"),
        ("practice/trainers/stands-still.md", "practice/trainers/more/still.md"),
        ("practice/predict/add-two.md", "practice/predict/more/add-two.md"),
    ],
)
def test_a_page_in_a_place_where_nothing_looks(sample, page, copy):
    shutil.copy(sample / "docs/junior/sheet.md", sample / "docs/mid/sheet.md")
    assert unread(sample) == []
    (sample / "docs" / copy).parent.mkdir(exist_ok=True)
    shutil.copy(sample / "docs" / page, sample / "docs" / copy)
    [found] = unread(sample)
    assert found.startswith(f"{copy}: The site does not read this page.")


def test_a_level_without_a_sheet_and_a_sheet_that_cannot_be_read(sample):
    assert unread(sample) == ["mid/sheet.md: The level has no cheat sheet. Give each of its questions a line."]
    (sample / "docs/mid/sheet.md").write_text("No front matter.")
    assert unread(sample) == []  # the site says it


def test_a_retired_name_for_pages_that_do_not_exist(sample, monkeypatch):
    names = (retired.Retired("old", "new", ("mid/scaling/size", "mid/scaling/gone")),)
    monkeypatch.setattr(retired, "RETIRED", names)
    [found] = retired.misplaced(levels.load(sample / "docs"))
    assert found.message == "'mid/scaling/gone' may say 'old', and is not a question."
