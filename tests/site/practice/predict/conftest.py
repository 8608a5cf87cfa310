"""The programs in the order in which they are asked."""

from __future__ import annotations

import re

import pytest

from predict_page import PAGE, PUZZLES, in_turn
from warmup.kinds import puzzles


@pytest.fixture(scope="session")
def listed(site) -> list[puzzles.Puzzle]:
    """All programs as they are asked: the page lists them topic by topic, and topics take turns."""
    slugs = re.findall(r'<li id="([\w-]+)"', (site / PAGE / "index.html").read_text(encoding="utf-8"))
    found = {puzzle.slug: puzzle for puzzle in PUZZLES}
    assert sorted(slugs) == sorted(found)
    return in_turn([found[slug] for slug in slugs])
