"""What the filter of a list of questions searches besides their titles.

Names in the sidebar, tags and aliases are as many bytes as the titles, so the lists do not carry them: the filter loads
them once somebody types.
"""

from __future__ import annotations

from warmup.content.page import Page
from warmup.kinds.levels import Site

FILE = "practice/words.json"


def words(site: Site) -> dict[str, list[str]]:
    """The words of each question and exercise by its id: its name in the sidebar, its tags, its aliases."""
    found = {question.id: [question.short, *question.tags, *_aliases(question)] for question in site.questions}
    return found | {page.id: [page.short, *_aliases(page)] for page in site.exercises}


def _aliases(page: Page) -> list[str]:
    return page.meta.get("aliases") or []
