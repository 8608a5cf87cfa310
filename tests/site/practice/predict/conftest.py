"""The programs in the order of the site."""

from __future__ import annotations

import re

import pytest

from predict_page import PAGE, PUZZLES
from warmup.content import puzzles


@pytest.fixture(scope="session")
def listed(site) -> list[puzzles.Puzzle]:
    """All programs as the page lists them."""
    slugs = re.findall(r'<li id="([\w-]+)"', (site / PAGE / "index.html").read_text(encoding="utf-8"))
    found = {puzzle.slug: puzzle for puzzle in PUZZLES}
    assert sorted(slugs) == sorted(found)
    return [found[slug] for slug in slugs]
